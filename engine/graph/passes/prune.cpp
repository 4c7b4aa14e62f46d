// Keeps the nodes that a result or an effect needs, and drops names for the same value.
#include "engine/graph/rewrite.h"

namespace tapescope {

void prune(Graph& graph, PassContext& context) {
  const auto nodes = graph.nodes();
  std::vector<bool> used(graph.values().size(), false);
  std::vector<bool> needed(nodes.size(), false);
  for (const ValueIndex result : graph.results) used[result] = true;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    bool need = has_effect(nodes[n]);
    for (std::uint32_t i = 0; i < nodes[n].outputs; ++i) need = need || used[nodes[n].first_output + i];
    needed[n] = need;
    if (!need) continue;
    for (const ValueIndex input : graph.inputs(nodes[n])) used[input] = true;
  }
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    const std::string_view name = node.op->name;
    if (!needed[n]) {
      context.note("unused", RewriteKind::bit_exact, node, std::string(name), "");
    } else if ((name == "Identity" || name == "StopGradient") && is_pure(node)) {
      const ValueIndex input = rebuild.at(graph.inputs(node)[0]);
      context.note("remove_identity", RewriteKind::bit_exact, node, describe(rebuild.to(), *node.op, {&input, 1}), describe(rebuild.to(), input));
      rebuild.replace(node.first_output, input);
    } else {
      rebuild.copy(n);
    }
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
