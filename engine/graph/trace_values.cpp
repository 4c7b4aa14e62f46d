// One walk over the nodes, as an executor's without a plan.
#include "engine/graph/trace_values.h"

#include <algorithm>

#include "engine/gate/flight.h"
#include "engine/gate/state.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/rewrite.h"
#include "engine/ops/creation.h"
#include "engine/ops/random_key.h"
#include "engine/ops/variable_read.h"

namespace tapescope {

std::unordered_map<ValueIndex, NodeIndex> last_assignments(const Graph& graph, NodeIndex end) {
  std::unordered_map<ValueIndex, NodeIndex> last;
  for (NodeIndex n = 0; n < end; ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (node.op == &kReadVariable || !has_effect(node)) continue;
    for (const ValueIndex input : graph.inputs(node)) {
      if (graph.value(input).type->dtype == DType::resource) last[input] = n;
    }
  }
  return last;
}

TraceValues::TraceValues(const Graph& traced, NodeIndex end, std::span<const Tensor> parameters,
                         std::span<const HeldRead> held, std::uint64_t random)
    : flags_(traced.values().size(), 0), names_(traced.values().size()) {
  for (const auto& [value, tensor] : traced.symbols) names_[value].push_back(tensor);
  const Mute mute;
  const std::uint64_t position = random_position();
  set_random_position(random);
  run(traced, end, parameters, held);
  set_random_position(position);
}

void TraceValues::run(const Graph& graph, NodeIndex end, std::span<const Tensor> parameters,
                      std::span<const HeldRead> held) {
  const auto nodes = graph.nodes();
  std::vector<Tensor> tensors(graph.values().size());
  for (ValueIndex value = 0; value < tensors.size(); ++value) {
    const GraphValue& v = graph.value(value);
    if (v.kind == ValueKind::parameter) tensors[value] = parameters[v.source];
    if (v.kind == ValueKind::capture) tensors[value] = graph.captures()[v.source];
    if (v.kind == ValueKind::constant) tensors[value] = graph.constants()[v.source];
    if (tensors[value]) look_at(graph, value, tensors[value]);
  }
  std::vector<NodeIndex> last_use(graph.values().size(), 0);
  for (NodeIndex n = 0; n < end; ++n) {
    for (const ValueIndex input : graph.inputs(nodes[n])) last_use[input] = n;
  }
  const auto assigned = last_assignments(graph, end);
  std::vector<TensorImpl*> inputs;
  for (NodeIndex n = 0; n < end; ++n) {
    const GraphNode& node = nodes[n];
    Attrs attrs = node.attrs;
    const bool draws = node.op->flags & OpDef::kRandom;
    if (draws) set_random_key(attrs, next_random_key());
    inputs.clear();
    if (const auto read = std::ranges::find(held, n, &HeldRead::node); read != held.end()) {
      tensors[node.first_output] = read->value;
      look_at(graph, node.first_output, read->value);
      continue;
    }
    bool known = draws || !has_effect(node);
    for (const ValueIndex input : graph.inputs(node)) {
      known = known && tensors[input];
      inputs.push_back(tensors[input].impl());
      if (node.op != &kReadVariable) continue;
      const auto last = assigned.find(input);
      known = known && (last == assigned.end() || last->second < n);
    }
    if (!known) continue;
    const std::span<Tensor> outputs(tensors.data() + node.first_output, node.outputs);
    if (node.op->flags & OpDef::kView) {
      outputs[0] = Tensor(new_view(inputs[0], graph.value(node.first_output).type, inputs[0]->data));
    } else {
      for (std::uint32_t i = 0; i < node.outputs && !(node.op->flags & OpDef::kMakesOutputs); ++i)
        outputs[i] = Tensor(new_tensor(graph.value(node.first_output + i).type));
      KernelContext context{inputs, outputs, attrs};
      node.op->kernel(context);
    }
    for (std::uint32_t i = 0; i < node.outputs; ++i) look_at(graph, node.first_output + i, outputs[i]);
    for (const ValueIndex input : graph.inputs(node)) {
      if (last_use[input] == n && graph.value(input).kind == ValueKind::output) tensors[input] = Tensor();
    }
    for (std::uint32_t i = 0; i < node.outputs; ++i) {
      if (last_use[node.first_output + i] <= n) outputs[i] = Tensor();
    }
  }
}

void TraceValues::look_at(const Graph& graph, ValueIndex value, const Tensor& tensor) {
  if (!tensor || tensor.impl()->extension || graph.value(value).type->dtype == DType::resource) return;
  TensorValuesRecord record = values_of(tensor);
  flags_[value] = record.flags;
  for (const TensorId name : names_[value]) {
    record.tensor = name;
    records_.push_back(record);
  }
}

}  // namespace tapescope
