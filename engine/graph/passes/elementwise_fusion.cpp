// Chains of elementwise nodes become one node each, which runs them tile by tile.
#include "engine/graph/passes/chain.h"

namespace tapescope {

void fuse_elementwise(Graph& graph, PassContext& context) {
  const std::vector<std::uint32_t> uses = use_counts(graph);
  const auto nodes = graph.nodes();
  std::vector<bool> taken(nodes.size(), false);
  std::vector<std::optional<Chain>> chains(nodes.size());  // by root
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const auto root = static_cast<NodeIndex>(n);
    if (taken[n] || element_steps(graph, nodes[n]).empty()) continue;
    Chain chain(graph, root, uses, taken);
    if (chain.members().size() < 2) continue;
    for (const NodeIndex member : chain.members()) taken[member] = true;
    chains[n].emplace(std::move(chain));
  }
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (!chains[n]) {
      if (!taken[n]) rebuild.copy(n);
      continue;
    }
    const GraphNode& node = nodes[n];
    auto program = std::make_shared<const FusedChain>(*chains[n]->program());
    Attrs attrs;
    attrs.object = reinterpret_cast<std::uint64_t>(program.get());
    const ValueIndex fused = rebuild.add(kFusedElementwise, rebuild.at(chains[n]->inputs()), attrs, node, program->type);
    rebuild.hold(std::move(program));
    context.note("fuse_elementwise", RewriteKind::bit_exact, node, chains[n]->text(), std::string(kFusedElementwise.name));
    rebuild.replace(node.first_output, fused);
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
