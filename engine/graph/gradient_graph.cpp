// Replays a graph under a tape, takes its gradient, and cuts off the part that comes after the replay.
#include "engine/graph/gradient_graph.h"

#include "engine/core/slices.h"
#include "engine/gate/apply.h"
#include "engine/graph/extract.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/storage.h"
#include "engine/tape/tape.h"

namespace tapescope {
namespace {

// A replay in its own trace: which tensor stands for each value of the replayed graph, and back.
class Replay {
 public:
  Replay(const TracedGraph& forward, const std::string& name) : forward_(forward), trace_(name) {
    const Graph& graph = *forward_.graph;
    tensors_.resize(graph.values().size());
    for (std::size_t p = 0; p < graph.parameters().size(); ++p) {
      const Tensor& stands = forward_.parameters[p];
      const ValueIndex value = graph.parameters()[p];
      if (stands.dtype() == DType::resource && !is_list(stands.type())) {
        trace_.parameter(stands);
        tensors_[value] = stands;
      } else {
        tensors_[value] = trace_.parameter(&stands.type(), stands.impl()->name);
      }
    }
    for (ValueIndex i = 0; i < tensors_.size(); ++i) {
      const GraphValue& value = graph.value(i);
      if (value.kind == ValueKind::capture) tensors_[i] = graph.captures()[value.source];
      if (value.kind == ValueKind::constant) tensors_[i] = graph.constants()[value.source];
    }
  }

  Trace& trace() { return trace_; }
  const Tensor& tensor(ValueIndex value) const { return tensors_[value]; }
  // The values of the replay's own graph that stand for those of the forward one.
  std::vector<ValueIndex> values() {
    std::vector<ValueIndex> values;
    for (const Tensor& tensor : tensors_) values.push_back(tensor ? trace_.value_of(tensor) : kNoIndex);
    return values;
  }

  // Runs every node again as an op of the trace, for the tapes that are active to see.
  void run() {
    const Graph& graph = *forward_.graph;
    ThreadState& ts = state();
    for (const GraphNode& node : graph.nodes()) {
      std::vector<TensorImpl*> inputs;
      for (const ValueIndex input : graph.inputs(node)) inputs.push_back(tensors_[input].impl());
      const std::uint32_t silenced = std::exchange(ts.silenced, node.flags & GraphNode::kSilenced ? 1u : 0u);
      ts.scope = node.scope;
      TensorList outputs;
      apply(*node.op, inputs, node.attrs, node.location, outputs);
      ts.silenced = silenced;
      for (std::uint32_t k = 0; k < node.outputs; ++k) {
        tensors_[node.first_output + k] = outputs[static_cast<int>(k)];
      }
    }
    ts.scope = 0;
  }

 private:
  const TracedGraph& forward_;
  Trace trace_;
  std::vector<Tensor> tensors_;
};

// The forward values that the nodes on the way from `results` back into the forward part read, in its order.
// What is not `available` is computed again from what is.
std::vector<ValueIndex> read_by_gradient(const Graph& both, std::span<const ValueIndex> results,
                                         std::span<const ValueIndex> cotangents,
                                         std::span<const ValueIndex> forward_values,
                                         std::size_t forward_nodes,
                                         const std::optional<std::vector<ValueIndex>>& available) {
  std::vector<bool> seen(both.values().size(), false);
  for (const ValueIndex cotangent : cotangents) seen[cotangent] = true;
  std::vector<bool> taken(both.values().size(), !available), read(both.values().size(), false);
  if (available) {
    for (const ValueIndex value : *available) taken[forward_values[value]] = true;
  }
  std::vector<ValueIndex> stack(results.begin(), results.end());
  while (!stack.empty()) {
    const ValueIndex index = stack.back();
    stack.pop_back();
    if (seen[index]) continue;
    seen[index] = true;
    const GraphValue& value = both.value(index);
    if (value.kind == ValueKind::output && (value.source >= forward_nodes || !taken[index])) {
      for (const ValueIndex input : both.inputs(both.nodes()[value.source])) stack.push_back(input);
    } else {
      read[index] = value.kind == ValueKind::output || value.kind == ValueKind::parameter;
    }
  }
  std::vector<ValueIndex> found;
  for (ValueIndex v = 0; v < forward_values.size(); ++v) {
    if (forward_values[v] != kNoIndex && read[forward_values[v]]) found.push_back(v);
  }
  return found;
}

}  // namespace

GradientGraph gradient_graph(const TracedGraph& forward, std::string name,
                             std::span<const std::uint32_t> results, const std::vector<bool>& wanted,
                             const std::optional<std::vector<ValueIndex>>& available) {
  const Graph& graph = *forward.graph;
  const Mute mute;  // the program runs none of this
  Replay replay(forward, name);
  Trace& trace = replay.trace();
  GradientTape tape({.watch_accessed_variables = false});
  tape.enter();
  std::vector<Traced> sources;
  GradientGraph found;
  const std::size_t parameters = graph.parameters().size();
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    const Tensor source =
        i < parameters ? replay.tensor(graph.parameters()[i]) : graph.captures()[i - parameters];
    tape.storage().watch(source, WatchKind::by_hand, Location::current());
    sources.push_back(source);
    found.inputs.push_back(i);
  }
  replay.run();
  tape.exit();

  const std::vector<ValueIndex> forward_values = replay.values();
  GradientOptions options{.prune = true};
  std::vector<Traced> targets;
  std::vector<ValueIndex> cotangents;
  for (const std::uint32_t result : results) {
    const Tensor& target = replay.tensor(graph.results[result]);
    targets.push_back(target);
    options.output_gradients.push_back(trace.parameter(&target.type(), 0));
    cotangents.push_back(trace.value_of(options.output_gradients.back()));
  }
  const std::vector<Tensor> gradients = tape.gradient(targets, sources, options);
  std::vector<ValueIndex> given_back;
  for (std::size_t s = 0; s < gradients.size(); ++s) {
    if (!gradients[s]) continue;
    found.inputs[found.rows.size()] = found.inputs[s];
    const SlicesExtension* slices = slices_of(gradients[s].impl());
    found.rows.push_back(slices ? &gradients[s].type() : nullptr);
    given_back.push_back(trace.value_of(slices ? slices->values : gradients[s]));
    if (slices) given_back.push_back(trace.value_of(slices->indices));
  }
  found.inputs.resize(found.rows.size());
  if (given_back.empty()) return found;

  found.saved = read_by_gradient(trace.graph(), given_back, cotangents, forward_values, graph.nodes().size(),
                                 available);
  std::vector<ValueIndex> taken;
  for (const ValueIndex value : found.saved) taken.push_back(forward_values[value]);
  taken.insert(taken.end(), cotangents.begin(), cotangents.end());
  found.graph = extract(trace.graph(), std::move(name), taken, given_back, [&](ValueIndex index) {
    // What a program's own gradient reads or draws, it does when it runs.
    const GraphValue& value = trace.graph().value(index);
    if (value.kind == ValueKind::output && value.source >= graph.nodes().size()) return;
    fail(ErrorKind::internal, graph.name(), "the gradient needs a value that the call did not save");
  });
  return found;
}

}  // namespace tapescope
