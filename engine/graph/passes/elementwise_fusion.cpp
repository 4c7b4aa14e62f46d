// Elementwise nodes that feed one another become one node, which runs them tile by tile.
#include "engine/graph/passes/chain.h"
#include "engine/kernels/compiled_tiles.h"

namespace tapescope {

void fuse_elementwise(Graph& graph, PassContext& context) {
  const ValueUsers users(graph);
  const auto nodes = graph.nodes();
  Chains chains(graph);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const auto root = static_cast<NodeIndex>(n);
    if (chains.taken()[n] || element_steps(graph, nodes[n]).empty()) continue;
    Chain chain = Chain::best(graph, root, users, chains.taken(), ChainResults::what_is_used_later,
                              context.options.compiled);
    if (chain.members().size() >= 2) chains.take(root, std::move(chain));
  }
  graph = chains.rebuilt(graph, [&](Rebuild& rebuild, const GraphNode& node, const Chain& chain) {
    context.note("fuse_elementwise", RewriteKind::bit_exact, node, chain.text(),
                 std::string(kFusedElementwise.name));
    FusedChain program = *chain.program();
    if (context.options.compiled) program.program.compiled = kernels::CompiledTiles::of(program.program);
    program.parts = chain.parts().finish(chain.results());
    const ValueIndex fused = add_fused(rebuild, kFusedElementwise, std::move(program), chain, node);
    ValueIndex next = fused;
    for (const ValueIndex result : chain.results()) rebuild.replace(result, next++);
  });
}

}  // namespace tapescope
