// Optimizers: change variables by their gradients, with exactly the updates of Keras 3.
//
// Everything an optimizer remembers is in its own variables (the iteration, the learning rate, the slots),
// so that a checkpoint of all variables holds it. Updates write in place and are no ops, but for those that a
// function traces (ResourceApplyAdam and its like); no tape records them.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/public.h"
#include "engine/nn/update_loops.h"
#include "engine/nn/update_ops.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// What every optimizer can do beside its own update. At most one way of clipping may be chosen.
struct OptimizerOptions {
  std::string name{};          // scope of its variables; the kind ("adam") when empty
  double weight_decay = 0;     // w -= w * weight_decay * learning_rate before the update
  double clipnorm = 0;         // limit of each gradient's norm; 0 for none
  double global_clipnorm = 0;  // limit of the norm of all gradients together
  double clipvalue = 0;        // limit of each element's magnitude
  // From 2 on: gradients are gathered, and each so many calls their mean makes one update.
  std::int64_t gradient_accumulation_steps = 1;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Makes the slots; the first apply_gradients() does so itself. Later calls with the same variables do
  // nothing. Throws ValueError for a variable that was not among the first ones.
  void build(std::span<const Variable> variables, Location location = Location::current());

  // One update; gradients and variables pair up as zip's do. A variable whose gradient is None keeps its
  // value and a warning names it. Throws ValueError when every gradient is None, when there are none at all,
  // when the counts differ or a variable is unknown; InvalidArgument when a gradient's shape or dtype is not
  // the variable's.
  void apply_gradients(std::span<const Tensor> gradients, std::span<const Variable> variables,
                       Location location = Location::current());
  void apply_gradients(std::span<const Tensor> gradients, std::initializer_list<Variable> variables,
                       Location location = Location::current()) {
    apply_gradients(gradients, std::span(variables.begin(), variables.size()), location);
  }
  void apply_gradients(std::initializer_list<Tensor> gradients, std::initializer_list<Variable> variables,
                       Location location = Location::current()) {
    apply_gradients(std::span(gradients.begin(), gradients.size()),
                    std::span(variables.begin(), variables.size()), location);
  }

  std::string_view name() const { return name_; }
  // float32 scalar; assign to it for a schedule.
  const Variable& learning_rate() const { return learning_rate_; }
  // int64 scalar: updates made so far; calls that only gather gradients do not count.
  const Variable& iterations() const { return iterations_; }
  // The iteration, the learning rate, then the slots in the order of the variables they belong to.
  const std::vector<Variable>& variables() const { return all_; }

 protected:
  // Slots a variable has; an absent name is a slot that this optimizer does without.
  struct SlotNames {
    std::string_view names[3];
    double initial = 0;
  };
  Optimizer(std::string_view kind, double learning_rate, const OptimizerOptions& options,
            const SlotNames& slots, const Location& location);

  // One step of the numbers that all variables share; `iteration` counts from 1.
  virtual void begin(double learning_rate, std::int64_t iteration) = 0;
  virtual void update(DType type, const updates::Arrays& arrays) const = 0;
  // The same as an op's row, with what its attributes hold of this optimizer.
  virtual const OpDef& update_row(updates::UpdateAttrs& attrs) const = 0;

 private:
  struct Slots {
    Variable of;
    Variable slot[3];
    Variable gathered;  // the sum of gradients, where they are accumulated
  };
  Slots& slots_of(const Variable& variable, std::size_t hint, const Location& location);
  // False when the gradients were only added to what was gathered; else `means` are those to apply.
  bool gather(std::span<const Tensor> gradients, std::span<const Variable> variables,
              std::vector<Tensor>& means, const Location& location);
  std::span<const Tensor> clipped(std::span<const Tensor> gradients, const Location& location);
  void warn_of_none(std::span<const Tensor> gradients, std::span<const Variable> variables,
                    const Location& location);
  void check_type(const Variable& variable, const Tensor& gradient, const Location& location) const;
  // Adds the updates to the graph that is traced.
  void trace_updates(std::span<const Tensor> gradients, std::span<const Variable> variables,
                     const Location& location);
  void update_one(const Variable& variable, const Slots& slots, const Tensor& gradient, double decay,
                  const Location& location);

  std::string name_;
  OptimizerOptions options_;
  SlotNames slot_names_;
  Variable iterations_, learning_rate_;
  Variable gathered_calls_;  // int64 scalar, where gradients are accumulated
  std::vector<Variable> all_;
  std::vector<Slots> slots_;
  std::vector<Tensor> clipped_;  // kept for its capacity
  std::size_t warned_ = 0;       // how many gradients were None when it warned last
};

}  // namespace tapescope
