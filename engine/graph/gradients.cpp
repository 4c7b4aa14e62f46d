// Records the nodes traced so far on a separate tape and asks it for gradients.
#include "engine/graph/gradients.h"

#include <algorithm>

#include "engine/gate/apply.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/trace.h"
#include "engine/ops/creation.h"
#include "engine/tape/storage.h"

namespace tapescope {
namespace {

// Separate tensors stand for the graph's values, so that no other tape mistakes them for the program's.
class GraphTape {
 public:
  GraphTape(std::span<const Traced> xs, std::span<const Traced> stops, const Location& location)
      : graph_(*Trace::current_graph()) {
    tape_.enter(location);
    for (const Traced& x : xs) sources_.push_back(Trace::current_value(x.tensor(), location));
    for (const Traced& stop : stops) held_.push_back(Trace::current_value(stop.tensor(), location));
    nodes_ = graph_.nodes().size();
    stands_.resize(graph_.values().size());
    for (ValueIndex v = 0; v < stands_.size(); ++v) {
      const GraphValue& value = graph_.value(v);
      if (value.kind == ValueKind::output) continue;
      if (value.kind == ValueKind::parameter) stands_[v] = Trace::current_symbol(v);
      if (value.kind == ValueKind::capture) stands_[v] = graph_.captures()[value.source];
      if (value.kind == ValueKind::constant) stands_[v] = graph_.constants()[value.source];
      watch_source(v);
    }
    for (NodeIndex n = 0; n < nodes_; ++n) offer(n);
  }

  Traced stands_for(const Tensor& tensor, const Location& location) const {
    const ValueIndex value = Trace::current_value(tensor, location);
    // Made only now: a constant that nothing was computed from.
    return value < stands_.size() ? stands_[value] : tensor;
  }
  GradientTape& tape() { return tape_; }

 private:
  bool is_held(ValueIndex value) const { return std::find(held_.begin(), held_.end(), value) != held_.end(); }
  void watch_source(ValueIndex value) {
    TapeStorage& storage = tape_.storage();
    if (std::find(sources_.begin(), sources_.end(), value) == sources_.end()) return;
    if (!is_trainable(stands_[value].dtype()) || storage.find(stands_[value]) != kNoValue) return;
    storage.watch(stands_[value], WatchKind::by_hand, Location::current());
  }

  void offer(NodeIndex index) {
    const FlowRow* flow = flow_row_of(*graph_.nodes()[index].op);
    if (flow && graph_.nodes()[index].forward != kNoIndex) return;  // recorded at the node that it replaces
    const bool saving = flow && flow->node->forward(FlowNode::Order::higher).get() != flow->node;
    // A copy: the graph may grow, and spans into it are not kept across calls.
    const GraphNode node = graph_.nodes()[saving ? Trace::current_saving(index) : index];
    std::vector<TensorImpl*> inputs;
    for (const ValueIndex input : graph_.inputs(graph_.nodes()[index]))
      inputs.push_back(stands_[input].impl());
    std::vector<Tensor> outputs;
    for (std::uint32_t k = 0; k < node.outputs; ++k)
      outputs.push_back(Trace::current_symbol(node.first_output + k));
    if (outputs.size() > 1) {
      TensorId id = next_tensor_ids(static_cast<int>(outputs.size()));
      for (Tensor& output : outputs) output.impl()->id = id++;
    }
    if (!outputs.empty() && !(node.flags & GraphNode::kSilenced)) {
      tape_.storage().offer({*node.op, inputs, node.attrs, node.location, outputs});
    }
    stand(node.first_output, outputs);
    if (saving)
      stand(graph_.nodes()[index].first_output, std::span(outputs).first(graph_.nodes()[index].outputs));
  }

  void stand(ValueIndex first, std::span<const Tensor> outputs) {
    for (std::uint32_t k = 0; k < outputs.size(); ++k) {
      const ValueIndex value = first + k;
      if (value >= stands_.size()) return;  // of a node made just now, which nothing uses yet
      // What is held constant is a leaf to what follows, whatever made it.
      stands_[value] = is_held(value) ? Trace::current_symbol(value) : outputs[k];
      watch_source(value);
    }
  }

  const Graph& graph_;
  GradientTape tape_{{.watch_accessed_variables = false}};
  std::size_t nodes_ = 0;
  std::vector<ValueIndex> sources_, held_;
  std::vector<Tensor> stands_;
};

}  // namespace

std::vector<Tensor> gradients(std::span<const Traced> ys, std::span<const Traced> xs,
                              const GradientsOptions& options, Location location) {
  if (!Trace::current_graph()) {
    fail(ErrorKind::runtime, "gradients",
         "works on a graph, and no function is traced here; in eager code use GradientTape, or call "
         "gradients() inside a "
         "Function",
         &location);
  }
  for (const Traced& x : xs) {
    if (!x.tensor())
      fail(ErrorKind::type, "gradients", "one of xs is None, expected a tensor or a variable", &location);
  }
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    fail(ErrorKind::value, "gradients",
         "grad_ys has another length than ys; give one for each, None for ones", &location);
  }
  const Mute mute;  // the tape is no program's
  GraphTape graph(xs, options.stop_gradients, location);
  GradientOptions ask{.prune = true};
  std::vector<Traced> targets, sources;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    targets.push_back(graph.stands_for(ys[i].tensor(), location));
    if (options.grad_ys.empty()) continue;
    const Type& type = ys[i].type();
    ask.output_gradients.push_back(options.grad_ys[i] ? options.grad_ys[i]
                                                      : make_full(type.shape, 1, type.dtype));
  }
  for (const Traced& x : xs) sources.push_back(graph.stands_for(x.tensor(), location));
  std::vector<Tensor> found = graph.tape().gradient(targets, sources, ask, location);
  if (options.unconnected == Unconnected::zero) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Type& type = xs[i].type();
      if (!found[i]) found[i] = make_full(type.shape, 0, type.dtype);
    }
  }
  return found;
}

}  // namespace tapescope
