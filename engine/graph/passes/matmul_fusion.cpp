// Product, bias and activation become one node: the bias and the activation find the product's rows in the
// cache.
#include "engine/graph/passes/chain.h"

namespace tapescope {
namespace {

using kernels::TileProgram;

// The one user of what the node makes; kNoIndex when there are more, or it is a result.
struct Users {
  std::vector<NodeIndex> only;
  explicit Users(const Graph& graph) : only(graph.values().size(), kNoIndex) {
    const std::vector<std::uint32_t> uses = use_counts(graph);
    for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
      for (const ValueIndex input : graph.inputs(graph.nodes()[n]))
        only[input] = uses[input] == 1 ? n : kNoIndex;
    }
  }
};

// The bias that the node adds to rows of the product; kNoIndex if it does anything else.
ValueIndex bias_of(const Graph& graph, const GraphNode& node, ValueIndex product) {
  if (node.op->name != "BiasAdd" && node.op->name != "AddV2") return kNoIndex;
  const auto inputs = graph.inputs(node);
  const Type& type = *graph.value(product).type;
  const std::size_t other = inputs[0] == product ? 1 : 0;
  const Type& bias = *graph.value(inputs[other]).type;
  const bool row = bias.numel == type.shape[1] && bias.shape.rank() >= 1 &&
                   bias.shape[bias.shape.rank() - 1] == type.shape[1];
  return row && graph.value(node.first_output).type == &type ? inputs[other] : kNoIndex;
}

// The activation as a UnaryOp; -1 for another op.
int activation_of(const Graph& graph, const GraphNode& node) {
  const auto steps = element_steps(graph, node);
  if (steps.size() != 1 || steps[0].code != TileProgram::Code::unary || steps[0].from != steps[0].to)
    return -1;
  return steps[0].function;
}

}  // namespace

void fuse_matmuls(Graph& graph, PassContext& context) {
  const Users users(graph);
  const auto nodes = graph.nodes();
  struct Fusion {
    NodeIndex product, bias_node;
    ValueIndex bias;
    int activation;
  };
  std::vector<std::optional<Fusion>> fusions(nodes.size());  // by last node
  std::vector<bool> taken(nodes.size(), false);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& product = nodes[n];
    // Half types round between the product and the bias.
    if (product.op->name != "MatMul" || !is_pure(product) ||
        is_half(graph.value(product.first_output).type->dtype))
      continue;
    if (!is_floating(graph.value(product.first_output).type->dtype)) continue;
    const NodeIndex add = users.only[product.first_output];
    if (add == kNoIndex || nodes[add].flags != product.flags) continue;
    const ValueIndex bias = bias_of(graph, nodes[add], product.first_output);
    if (bias == kNoIndex) continue;
    Fusion fusion{n, add, bias, -1};
    NodeIndex last = add;
    const NodeIndex after = users.only[nodes[add].first_output];
    if (after != kNoIndex && nodes[after].flags == product.flags) {
      fusion.activation = activation_of(graph, nodes[after]);
      if (fusion.activation >= 0) last = after;
    }
    taken[n] = taken[add] = taken[last] = true;
    fusions[last] = fusion;
  }
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    if (!fusions[n]) {
      if (!taken[n]) rebuild.copy(n);
      continue;
    }
    const Fusion& fusion = *fusions[n];
    const GraphNode& product = nodes[fusion.product];
    std::vector<ValueIndex> inputs(graph.inputs(product).begin(), graph.inputs(product).end());
    inputs.push_back(fusion.bias);
    auto chain = std::make_shared<FusedChain>();
    Parts parts(graph, inputs);
    std::vector<NodeIndex> members{fusion.product, fusion.bias_node};
    if (fusion.activation >= 0) members.push_back(n);
    for (const NodeIndex member : members) {
      parts.add(nodes[member]);
      chain->members.push_back(nodes[member].op->name);
    }
    chain->parts = parts.finish({&nodes[n].first_output, 1});
    Attrs attrs = with_chain({}, *chain);
    attrs.flags = product.attrs.flags;
    attrs.f[0] = nodes[n].attrs.f[0];
    attrs.push(fusion.activation);
    std::string before;
    for (const std::string_view member : chain->members)
      before += (before.empty() ? "" : ", ") + std::string(member);
    const Type* types[] = {graph.value(nodes[n].first_output).type};
    const ValueIndex fused = rebuild.add(kFusedMatMul, rebuild.at(inputs), attrs, nodes[n], types);
    context.note("fuse_matmul", RewriteKind::bit_exact, nodes[n], std::move(before),
                 std::string(kFusedMatMul.name));
    rebuild.hold(std::move(chain));
    rebuild.replace(nodes[n].first_output, fused);
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
