// What tapes inside a function answered, looked at in each run while a session holds the step's tensors.
//
// Beside the graph that runs unwatched a function has one with a look after each gradient call that was
// traced: a node that reads targets and gradients and makes nothing. Results keep every bit. Where a gradient
// or a target is not finite, or a gradient is zero everywhere, the values of the trace up to there are
// computed once more, before anything that follows is assigned, and leave the records that an eager call
// leaves. A branch or the body of a loop has looks at the calls in it; each of its rounds begins with a node
// that keeps what the round was given.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/gate/state.h"
#include "engine/graph/graph.h"
#include "engine/graph/optimize_options.h"
#include "engine/graph/trace_values.h"

namespace tapescope {

// "_Look": the targets and gradients of one question; attribute `object` is the address of the question.
extern const OpDef kLook;
// "_Round": the parameters of a body; attribute `object` is the address of its graph as it was traced.
extern const OpDef kRound;
inline bool is_look(const GraphNode& node) { return node.op == &kLook || node.op == &kRound; }

// Whether the graph, or a branch or body inside it, holds a gradient call.
bool asks(const Graph& traced);
// Whether runs of a graph that asks are looked at: not where a rewrite for a value's only reader could
// discard a NaN.
bool can_look(const OptimizeOptions& options);
// The traced graph, which must outlive it, with its looks. Not optimized yet.
Graph with_looks(const Graph& traced);

// A read of a variable that comes before a look, where the variable is assigned to before a later look: as
// where one loss updates the critic that the other loss has read. `before` is where the first look stands.
struct EarlyRead {
  NodeIndex read, before;
};
// By graph, of those that ask inside the traced one and of itself.
using EarlyReads = std::vector<std::pair<const Graph*, std::vector<EarlyRead>>>;
EarlyReads early_reads(const Graph& traced);

// A run of a graph with looks, on the thread that runs it.
class LookedRun {
 public:
  LookedRun(const Graph& traced, const EarlyReads& early, std::span<const Tensor> parameters);
  ~LookedRun();
  LookedRun(const LookedRun&) = delete;
  LookedRun& operator=(const LookedRun&) = delete;

  // A body's next round begins.
  void enter(const Graph& body, OpInputs parameters);
  // A look came to its question.
  void arrive(const GraphQuestion& question, OpInputs values);

 private:
  // What a graph was given: the function's call, or the latest round of a body.
  struct Given {
    const Graph* traced;
    std::vector<Tensor> parameters;
    std::uint64_t random;  // position of the keys before it
    std::vector<HeldRead> held;
  };
  Given& given_to(const GraphQuestion& question);
  void hold_early_reads(Given& given, NodeIndex before) const;
  static void write(const GraphQuestion& question, const Given& given);

  const EarlyReads& early_;
  std::vector<Given> given_;  // the function's first
  LookedRun* outer_;
};

}  // namespace tapescope
