// A reduction over neighbouring axes takes in the elementwise chain before it, whose result is then never
// stored.
#include <utility>

#include "engine/graph/looks.h"
#include "engine/graph/passes/chain.h"
#include "engine/kernels/compiled_tiles.h"
#include "engine/ops/reduce/rows.h"

namespace tapescope {
namespace {

using kernels::ReduceOp;

std::optional<ReduceOp> reduction_of(std::string_view op) {
  constexpr std::pair<std::string_view, ReduceOp> kRows[] = {
      {"Sum", ReduceOp::sum}, {"Mean", ReduceOp::mean}, {"Prod", ReduceOp::prod},
      {"Max", ReduceOp::max}, {"Min", ReduceOp::min},   {"EuclideanNorm", ReduceOp::norm}};
  for (const auto& [name, reduce] : kRows) {
    if (name == op) return reduce;
  }
  return std::nullopt;
}

// A fold longer than this would leave the second cache while it is computed, unless it is cut. Few long ones
// always are (reduce.cpp), others only where the order of additions may change.
constexpr std::int64_t kLongestFold = 65536, kFew = 8;

// Sets what is kept and folded; false when it is not one run of neighbouring dimensions that is folded.
bool find_middle(const Type& type, const Attrs& attrs, bool may_cut, FusedChain& chain) {
  const std::uint32_t mask = rows::axes_mask(attrs);
  chain.outer = chain.n = chain.inner = 1;
  bool folds = false;
  for (int i = 0; i < type.shape.rank(); ++i) {
    if (type.shape[i] == 1) continue;
    if (mask >> i & 1) {
      if (chain.inner > 1) return false;
      folds = true;
      chain.n *= type.shape[i];
    } else {
      (folds ? chain.inner : chain.outer) *= type.shape[i];
    }
  }
  chain.cut = chain.outer >= kFew && chain.n * chain.inner > kLongestFold;
  return folds && (!chain.cut || may_cut);
}

// How often nodes and results use each value in a run that nothing looks at.
std::vector<std::uint32_t> uses_unwatched(const Graph& graph) {
  const auto nodes = graph.nodes();
  std::vector<std::uint32_t> uses(graph.values().size(), 0);
  for (const ValueIndex result : graph.results) ++uses[result];
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const GraphNode& node = nodes[n];
    bool runs = has_effect(node) && !is_look(node);
    for (std::uint32_t i = 0; i < node.outputs; ++i) runs = runs || uses[node.first_output + i] > 0;
    if (!runs) continue;
    for (const ValueIndex input : graph.inputs(node)) ++uses[input];
  }
  return uses;
}

// As the fused node folds, so do its members.
void add_cut(Parts& parts, const GraphNode& node, std::shared_ptr<const CutReduction> reduction) {
  parts.add(node, reduction->row, with_chain(node.attrs, reduction->chain));
  parts.hold(std::move(reduction));
}

}  // namespace

void fuse_reductions(Graph& graph, PassContext& context) {
  const ValueUsers users(graph);
  const std::vector<std::uint32_t> unwatched = uses_unwatched(graph);
  const auto nodes = graph.nodes();
  Chains chains(graph);
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const GraphNode& node = nodes[n];
    if (!reduction_of(node.op->name) || !is_pure(node)) continue;
    const ValueIndex input = graph.inputs(node)[0];
    const GraphValue& value = graph.value(input);
    FusedChain shape;
    if (value.kind != ValueKind::output || unwatched[input] != 1 || chains.taken()[value.source]) continue;
    if (nodes[value.source].flags != node.flags) continue;
    if (!is_floating(value.type->dtype) || element_steps(graph, nodes[value.source]).empty()) continue;
    if (!find_middle(*value.type, node.attrs, context.options.compiled, shape)) continue;
    Chain chain = Chain::best(graph, value.source, users, chains.taken(), ChainResults::root_alone,
                              context.options.compiled);
    if (!chain.program()) continue;
    // What a look reads is stored; the reduction keeps its order.
    if (users.count(input) == 1) chains.take(static_cast<NodeIndex>(n), std::move(chain));
    else if (shape.cut) chains.take_end(static_cast<NodeIndex>(n), std::move(chain));
  }
  graph = chains.rebuilt(graph, [&](Rebuild& rebuild, const GraphNode& node, const Chain& chain) {
    FusedChain program = *chain.program();
    find_middle(*program.types[0], node.attrs, context.options.compiled, program);
    program.reduce = *reduction_of(node.op->name);
    program.flops += static_cast<double>(program.types[0]->numel);
    const Type& folded = *std::exchange(program.types[0], graph.value(node.first_output).type);
    if (const ValueIndex input = graph.inputs(node)[0]; users.count(input) != 1) {
      auto reduction = cut_reduction(*node.op, folded, program);
      const ValueIndex stored = rebuild.at(input);
      rebuild.replace(node.first_output,
                      rebuild.add(reduction->row, {&stored, 1}, with_chain(node.attrs, reduction->chain),
                                  node, program.types));
      rebuild.hold(std::move(reduction));
      return;
    }
    if (context.options.compiled) {
      program.program.fold = kernels::fold_of_code(program.reduce, program.program, program.n, program.inner);
      program.program.compiled = kernels::CompiledTiles::of(program.program);
    }
    program.members.push_back(node.op->name);
    Parts parts = chain.parts();
    if (program.cut) add_cut(parts, node, cut_reduction(*node.op, folded, program));
    else parts.add(node);
    program.parts = parts.finish({&node.first_output, 1});
    context.note("fuse_reduction", program.cut ? RewriteKind::reassociating : RewriteKind::bit_exact, node,
                 chain.text() + ", " + std::string(node.op->name), std::string(kFusedReduction.name));
    rebuild.replace(node.first_output, add_fused(rebuild, kFusedReduction, std::move(program), chain, node));
  });
}

}  // namespace tapescope
