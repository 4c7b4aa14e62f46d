// Marks backwards from the results, then copies what was marked.
#include "engine/graph/extract.h"

#include <vector>

namespace tapescope {

std::shared_ptr<Graph> extract(const Graph& from, std::string name, std::span<const ValueIndex> parameters,
                               std::span<const ValueIndex> results,
                               const std::function<void(ValueIndex)>& reach) {
  auto to = std::make_shared<Graph>(std::move(name));
  std::vector<ValueIndex> copy(from.values().size(), kNoIndex);
  for (const ValueIndex value : parameters) {
    copy[value] = to->add_parameter(from.value(value).type, from.value(value).name);
  }
  std::vector<bool> needed(from.nodes().size(), false);
  std::vector<ValueIndex> stack(results.begin(), results.end());
  while (!stack.empty()) {
    const ValueIndex index = stack.back();
    stack.pop_back();
    if (copy[index] != kNoIndex) continue;
    const GraphValue& value = from.value(index);
    switch (value.kind) {
      case ValueKind::parameter: reach(index); break;
      case ValueKind::capture: copy[index] = to->add_capture(from.captures()[value.source]); break;
      case ValueKind::constant: copy[index] = to->add_constant(from.constants()[value.source]); break;
      case ValueKind::output: {
        if (needed[value.source]) break;
        needed[value.source] = true;
        const GraphNode& node = from.nodes()[value.source];
        if (node.op->flags & OpDef::kStateful) reach(index);
        for (const ValueIndex input : from.inputs(node)) stack.push_back(input);
        break;
      }
    }
  }
  std::vector<ValueIndex> inputs;
  std::vector<const Type*> types;
  for (NodeIndex n = 0; n < from.nodes().size(); ++n) {
    if (!needed[n]) continue;
    const GraphNode& node = from.nodes()[n];
    inputs.clear();
    types.clear();
    for (const ValueIndex input : from.inputs(node)) inputs.push_back(copy[input]);
    for (std::uint32_t k = 0; k < node.outputs; ++k) types.push_back(from.value(node.first_output + k).type);
    const NodeIndex made =
        to->add_node(*node.op, inputs, node.attrs, node.location, node.scope, types, node.flags);
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      // One of a node's outputs may be given while another is computed.
      ValueIndex& at = copy[node.first_output + k];
      if (at == kNoIndex) at = to->nodes()[made].first_output + k;
    }
  }
  for (const ValueIndex result : results) to->results.push_back(copy[result]);
  to->programs = from.programs;
  return to;
}

}  // namespace tapescope
