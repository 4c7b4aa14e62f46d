// Chains of elementwise nodes become one node each, which runs them tile by tile.
#include "engine/graph/passes/chain.h"

namespace tapescope {

void fuse_elementwise(Graph& graph, PassContext& context) {
  const std::vector<std::uint32_t> uses = use_counts(graph);
  Chains chains(graph);
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const auto root = static_cast<NodeIndex>(n);
    if (chains.taken()[n] || element_steps(graph, graph.nodes()[n]).empty()) continue;
    Chain chain(graph, root, uses, chains.taken());
    if (chain.members().size() >= 2) chains.take(root, std::move(chain));
  }
  graph = chains.rebuilt(graph, [&](Rebuild& rebuild, const GraphNode& node, const Chain& chain) {
    context.note("fuse_elementwise", RewriteKind::bit_exact, node, chain.text(), std::string(kFusedElementwise.name));
    add_fused(rebuild, kFusedElementwise, *chain.program(), chain, node);
  });
}

}  // namespace tapescope
