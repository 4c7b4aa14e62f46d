// Keeps the nodes that a result or an effect needs, and drops names for the same value. Branches and loops
// give only what is used, so that what they would save for a gradient that does not read it is not made, and
// take only what they use. Nor does a custom gradient take what it holds, since no gradient of the graph is
// taken.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/graph/flow_node.h"
#include "engine/graph/rewrite.h"
#include "engine/tape/custom_gradient.h"

namespace tapescope {
namespace {

// Which inputs and outputs of a branch or loop are used, the values of the graph around it being `used`.
struct FlowUse {
  std::vector<bool> inputs, outputs;
  bool all() const {
    const auto set = [](bool use) { return use; };
    return std::all_of(inputs.begin(), inputs.end(), set) && std::all_of(outputs.begin(), outputs.end(), set);
  }
};

FlowUse use_of(const FlowNode& flow, const GraphNode& node, const std::vector<bool>& used) {
  FlowUse use{std::vector<bool>(node.inputs, false), {}};
  for (std::uint32_t o = 0; o < node.outputs; ++o) use.outputs.push_back(used[node.first_output + o]);
  for (const FlowBody& body : flow.bodies()) {
    const std::vector<std::uint32_t> counts = use_counts(*body.graph);
    for (std::size_t p = 0; p < body.inputs.size(); ++p) {
      if (counts[body.graph->parameters()[p]] > 0) use.inputs[body.inputs[p]] = true;
    }
  }
  flow.keep_own(use.inputs, use.outputs);
  return use;
}

void put_reduced(Rebuild& rebuild, NodeIndex index, const FlowNode& flow, const FlowUse& use,
                 PassContext& context) {
  const GraphNode& node = rebuild.from().nodes()[index];
  const auto given = rebuild.from().inputs(node);
  std::vector<ValueIndex> inputs;
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    if (use.inputs[i]) inputs.push_back(rebuild.at(given[i]));
  }
  const std::shared_ptr<FlowNode> made = flow.reduced(use.inputs, use.outputs);
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(made.get());
  ValueIndex next = rebuild.add(made->row(), inputs, attrs, node, made->types());
  if (!made->types().empty()) rebuild.stands_for(index, next);
  rebuild.hold(made);
  for (std::uint32_t o = 0; o < node.outputs; ++o) {
    if (use.outputs[o]) rebuild.replace(node.first_output + o, next++);
    else
      context.note("unused", RewriteKind::bit_exact, node,
                   fmt::format("result {} of {}", o + 1, node.op->name), "");
  }
}

bool is_held(const GraphNode& node, std::size_t input) {
  const int held = held_inputs(*node.op, node.attrs);
  return input >= kFirstHeld && input < static_cast<std::size_t>(kFirstHeld + held);
}

void put_without_held(Rebuild& rebuild, NodeIndex index) {
  const GraphNode& node = rebuild.from().nodes()[index];
  const auto given = rebuild.from().inputs(node);
  std::vector<ValueIndex> inputs;
  std::vector<const Type*> types;
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    if (!is_held(node, i)) inputs.push_back(rebuild.at(given[i]));
  }
  for (std::uint32_t o = 0; o < node.outputs; ++o)
    types.push_back(rebuild.from().value(node.first_output + o).type);
  Attrs attrs = node.attrs;
  const OpDef& op = without_held(*node.op, attrs);
  rebuild.put(index, op, inputs, attrs, types);
}

}  // namespace

void prune(Graph& graph, PassContext& context) {
  const auto nodes = graph.nodes();
  std::vector<bool> used(graph.values().size(), false);
  std::vector<bool> needed(nodes.size(), false);
  std::map<NodeIndex, FlowUse> reducible;
  for (const ValueIndex result : graph.results) used[result] = true;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    bool need = has_effect(nodes[n]);
    for (std::uint32_t i = 0; i < nodes[n].outputs; ++i) need = need || used[nodes[n].first_output + i];
    needed[n] = need;
    if (!need) continue;
    const auto inputs = graph.inputs(nodes[n]);
    const FlowRow* flow = flow_row_of(*nodes[n].op);
    const FlowUse use = flow ? use_of(*flow->node, nodes[n], used) : FlowUse{};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (flow ? use.inputs[i] : !is_held(nodes[n], i)) used[inputs[i]] = true;
    }
    if (!use.all()) reducible.emplace(static_cast<NodeIndex>(n), use);
  }
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    const std::string_view name = node.op->name;
    if (!needed[n]) {
      context.note("unused", RewriteKind::bit_exact, node, std::string(name), "");
    } else if ((name == "Identity" || name == "StopGradient") && is_pure(node)) {
      const ValueIndex input = rebuild.at(graph.inputs(node)[0]);
      context.note("remove_identity", RewriteKind::bit_exact, node,
                   describe(rebuild.to(), *node.op, {&input, 1}), describe(rebuild.to(), input));
      rebuild.replace(node.first_output, input);
    } else if (const auto reduced = reducible.find(n); reduced != reducible.end()) {
      put_reduced(rebuild, n, *flow_row_of(*node.op)->node, reduced->second, context);
    } else if (held_inputs(*node.op, node.attrs) > 0) {
      put_without_held(rebuild, n);
    } else {
      rebuild.copy(n);
    }
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
