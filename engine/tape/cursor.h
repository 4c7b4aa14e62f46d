// The backward pass as a cursor: gradient() is `while (cursor.step());`, and so is stepping.
//
// Order, aggregation and zeros follow TensorFlow's tape (tensorflow-semantics.md, 1.8): nodes are taken from
// a first-in first-out queue of those whose outputs nothing else still uses, contributions to one tensor are
// summed in order of arrival by one AddN.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/debug/gate.h"
#include "engine/tape/storage.h"
#include "engine/tape/tape.h"

namespace tapescope {

// The arrays a backward pass needs, kept by the tape's storage so that a warm step allocates none.
struct CursorArrays {
  // What has arrived at a value: the first contribution in place, later ones in a list.
  struct Pending {
    Tensor first;
    std::uint32_t more = kNoValue;  // index of the second one in `more`
    std::uint32_t last = kNoValue;  // and of the last one
    std::uint32_t count = 0;        // of all, while there is a second one
  };
  struct More {
    Tensor gradient;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> source_values;
  std::vector<std::uint32_t> uses;    // of each value, by collected nodes that were not walked yet
  std::vector<std::int32_t> missing;  // of each node, outputs still used by others; negative: see cursor.cpp
  std::vector<std::uint8_t> is_source;  // of each value
  std::vector<std::uint8_t> useful;     // of each value, when pruning: leads to a source
  std::vector<Pending> pending;         // of each value
  std::vector<More> more;
  std::vector<std::uint32_t> queue;
  std::vector<std::uint32_t> stack;
  std::vector<std::uint32_t> complete;  // values of sources that no node uses any more, since the last step
  std::vector<Tensor> output_gradients;
  std::vector<Tensor> input_gradients;

  // Empties them and keeps their memory.
  void clear();
};

class Cursor final : private VjpContext, private FrameSource {
 public:
  Cursor(TapeStorage& tape, std::span<const Traced> targets, std::span<const Traced> sources,
         const GradientOptions& options);
  ~Cursor() override;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // Nodes that will be walked.
  std::uint32_t total() const { return total_; }
  // Leaves the tape's saved tensors where they are: another pass is to come.
  void keep_saved() { keep_saved_ = true; }
  // Walks one node; false when there is none left.
  bool step();
  // The gradient of each source, absent where there is none. After the last step.
  std::vector<Tensor> results();

  // For the gate, before the first step.
  void stop_before();

 private:
  using Pending = CursorArrays::Pending;
  using More = CursorArrays::More;

  void collect(std::span<const Traced> targets);
  void mark_useful();
  void seed(std::span<const Traced> targets, const GradientOptions& options);
  void add(std::uint32_t value, Tensor gradient);
  Tensor aggregate(Pending& pending, bool take);
  void enqueue_ready(std::uint32_t value);
  void run_vjp(const Node& node);
  void finish_inputs(const Node& node);
  void release_saved(Node& node);
  void notify_complete();
  Tensor fit(Tensor cotangent, std::uint32_t input);

  // VjpContext
  const OpDef& op() const override { return *node_->op; }
  const Attrs& attrs() const override;
  int input_count() const override { return static_cast<int>(node_->inputs); }
  int output_count() const override { return node_->outputs; }
  const Tensor& grad(int i) const override { return output_gradients_[static_cast<std::size_t>(i)]; }
  const Tensor& in(int i) const override;
  const Tensor& out(int i) const override;
  const Type& in_type(int i) const override;
  const Type& out_type(int i) const override;
  bool needs(int i) const override;
  void set(int i, Tensor cotangent) override;

  // FrameSource
  void describe(Frame& frame) const override;
  void sources(SourceNames& names) const override;
  void sums(std::vector<SourceSum>& sums) const override;

  TapeStorage& tape_;
  std::span<const Traced> sources_;       // the caller's, who outlives the cursor
  std::unique_ptr<CursorArrays> arrays_;  // goes back to the tape at the end
  std::vector<std::uint32_t>& source_values_;
  std::vector<std::uint32_t>& uses_;
  std::vector<std::int32_t>& missing_;
  std::vector<std::uint8_t>& is_source_;
  std::vector<std::uint8_t>& useful_;
  std::vector<Pending>& pending_;
  std::vector<More>& more_;
  std::vector<std::uint32_t>& queue_;
  GradientListener* const listener_;
  std::uint32_t free_more_ = kNoValue;
  std::size_t head_ = 0;
  std::uint32_t total_ = 0;
  std::uint32_t walked_ = 0;

  const Node* node_ = nullptr;  // being walked, or walked last
  std::vector<Tensor>& output_gradients_;
  std::vector<Tensor>& input_gradients_;
  bool keep_frame_ = false;
  bool keep_saved_ = false;
  std::vector<Tensor> frame_saved_;  // what the node used, for the debugger
  // A source's sum as far as a breakpoint has asked.
  struct SumSoFar {
    TensorId first = 0;     // of its contributions
    std::size_t parts = 0;  // that are in the sum
    RunningSum sum{};
  };
  mutable std::vector<SumSoFar> sums_;  // of each source
};

}  // namespace tapescope
