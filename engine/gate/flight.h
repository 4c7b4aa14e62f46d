// The flight recorder of a thread: while a session listens, the tensors of the step under way are held by
// reference, so that a value that turns out wrong can be followed to the op that made it.
//
// Tensors are immutable: holding one keeps what it held when its op ran. Where a variable is about to be
// written over in place the views of its value are let go first, so that no update becomes a copy. What is
// let go of early leaves its record behind.
//
// When a gradient or a target of gradient() is not finite, or a gradient is zero everywhere, the answers are
// followed by a values record for each tensor held, and by a step_result record for each step of the walk.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/events/records/values.h"
#include "engine/events/stats.h"

namespace tapescope {

class EventWriter;

// What a tensor holds, as a record says it. Nothing is known of a tensor that stands for something else.
TensorValuesRecord values_of(const Tensor& tensor);

class FlightRecorder {
 public:
  // An op ran, eagerly or as a node of a graph: its outputs are held, and inputs from before the step.
  void ran(std::span<TensorImpl* const> inputs, std::span<const Tensor> outputs);
  // A tensor was made by the host.
  void made(const Tensor& tensor) { hold(tensor); }
  // A node of a tape was walked backwards: the cotangents it was given and the gradients it returned.
  void walked(TensorId output, std::span<const Tensor> cotangents, std::span<const Tensor> gradients);
  // The elements of `owner` are about to be written over.
  void let_go(const TensorImpl* owner);

  // A gradient call begins, and looks at its targets.
  void asked();
  void target(const Tensor& target);
  // A source's gradient, as the session summed it up. `key` distinguishes sources.
  void answer(const TensorStats& gradient, std::uint64_t key);
  // The call is over: writes what is known where something is wrong. Steps that go wrong alike are written
  // less and less often.
  void answered(EventWriter& writer);
  // The parts of answered(), for a call inside a function whose values are not held: whether what is wrong is
  // seen for the first time there, and nothing was not finite before; the records of what is held; and that
  // the call is over.
  bool is_first(std::uint64_t call);
  void write_held(EventWriter& writer) const;
  void question_over();
  std::uint64_t questions() const { return questions_; }  // that are over

  // An outermost tape is entered. After a question it is the next step that begins, where the program does
  // not say so itself.
  void tape_entered();
  void step_begins() { in_step_ = true; }
  void step_ends();

  // Nothing is held any more.
  void release();

  std::size_t bytes() const { return bytes_; }

 private:
  // Of a backward step, in step_tensors_.
  struct Walked {
    TensorId output;
    std::uint32_t cotangents, gradients;
  };

  void hold(const Tensor& tensor);
  bool of_step(TensorId id);
  void end_step();
  void evict();
  void leave_record(const Tensor& tensor);
  bool due();
  void write(EventWriter& writer) const;

  std::vector<Tensor> held_;           // in the order of execution; absent where let go of
  std::vector<std::uint32_t> shared_;  // of them, those whose elements a variable may write over
  std::vector<TensorValuesRecord> left_;
  std::vector<Walked> walked_;  // of the last question
  std::vector<Tensor> step_tensors_;
  std::vector<std::uint64_t> blocks_;                  // of ids that tensors of the step have, ascending
  TensorId first_ = 0;                                 // ids from here on are of the step
  std::array<const TensorImpl*, 64> inputs_before_{};  // held lately, by address
  std::size_t bytes_ = 0;
  std::size_t before_update_ = 0;  // held when the last question was answered
  std::uint64_t questions_ = 0;
  bool in_step_ = false, asked_ = false;
  bool nonfinite_ = false, zero_ = false;              // of the question under way
  std::uint64_t zero_key_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  // how often, by what was wrong
};

}  // namespace tapescope
