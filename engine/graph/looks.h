// What tapes inside a function answered, looked at in each run while a session holds the step's tensors.
//
// Beside the graph that runs unwatched a function has one with a look after each gradient call that was
// traced: a node that reads targets and gradients and makes nothing. Results keep every bit. Where a gradient
// or a target is not finite, or a gradient is zero everywhere, the values of the trace up to there are
// computed once more, before anything that follows is assigned, and leave the records that an eager call
// leaves.
#pragma once
#include <cstdint>
#include <span>

#include "engine/gate/state.h"
#include "engine/graph/graph.h"
#include "engine/graph/optimize_options.h"

namespace tapescope {

// "_Look": the targets and gradients of one question; attribute `object` is the address of the question.
extern const OpDef kLook;
inline bool is_look(const GraphNode& node) { return node.op == &kLook; }

// Whether runs of the graph are looked at: not where a rewrite for a value's only reader could change bits.
bool can_look(const Graph& traced, const OptimizeOptions& options);
// The traced graph, which must outlive it, with its looks. Not optimized yet.
Graph with_looks(const Graph& traced);

// A run of a graph with looks, on the thread that runs it.
class LookedRun {
 public:
  LookedRun(const Graph& traced, std::span<const Tensor> parameters);
  ~LookedRun();
  LookedRun(const LookedRun&) = delete;
  LookedRun& operator=(const LookedRun&) = delete;

  // A look came to its question.
  void arrive(const GraphQuestion& question, Inputs values) const;

 private:
  void write(const GraphQuestion& question) const;

  const Graph& traced_;
  std::span<const Tensor> parameters_;
  std::uint64_t random_;  // position of the keys before it
  const LookedRun* outer_;
};

}  // namespace tapescope
