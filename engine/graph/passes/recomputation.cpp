// Finds large values that are kept for the backward pass although they are cheap to compute again. Changes
// nothing.
#include <algorithm>

#include "engine/graph/rewrite.h"

namespace tapescope {
namespace {

// What is smaller is not worth a node.
constexpr double kWorthwhileBytes = 64 * 1024;

}  // namespace

void hint_recomputation(Graph& graph, PassContext& context) {
  const auto nodes = graph.nodes();
  const std::size_t count = graph.values().size();
  constexpr std::int64_t kNever = -1;
  std::vector<std::int64_t> last_use(count, kNever), last_forward_use(count, kNever);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const ValueIndex input : graph.inputs(nodes[n])) {
      last_use[input] = static_cast<std::int64_t>(n);
      if (!(nodes[n].flags & GraphNode::kBackward)) last_forward_use[input] = static_cast<std::int64_t>(n);
    }
  }
  for (const ValueIndex result : graph.results) last_use[result] = static_cast<std::int64_t>(nodes.size());
  auto& hints = context.report.hints;
  const std::size_t before = hints.size();  // those of other graphs
  for (const GraphNode& node : nodes) {
    const ValueIndex value = node.first_output;
    const Type* type = node.outputs == 1 ? graph.value(value).type : nullptr;
    const bool cheap =
        type && is_pure(node) && node.op->kernel && node.op->batch == BatchRule::elementwise && node.op->cost;
    if (!cheap || (node.flags & GraphNode::kBackward) || static_cast<double>(type->bytes) < kWorthwhileBytes)
      continue;
    // Kept beyond the forward pass, for the backward pass alone.
    const std::int64_t last = last_use[value];
    if (last == last_forward_use[value] || last == static_cast<std::int64_t>(nodes.size())) continue;
    // Its inputs are there when it would be computed again.
    const auto inputs = graph.inputs(node);
    const bool at_hand = std::ranges::all_of(inputs, [&](ValueIndex input) {
      return graph.value(input).kind != ValueKind::output || last_use[input] >= last;
    });
    if (!at_hand) continue;
    std::vector<const Type*> in;
    for (const ValueIndex input : inputs) in.push_back(graph.value(input).type);
    const OpCost cost = node.op->cost(in, {&type, 1}, node.attrs);
    hints.push_back({intern_site(node.location, node.scope), node.op->name, static_cast<double>(type->bytes),
                     cost.flops});
  }
  std::ranges::stable_sort(
      hints.begin() + static_cast<std::ptrdiff_t>(before), hints.end(),
      [](const RecomputationHint& a, const RecomputationHint& b) { return a.bytes > b.bytes; });
}

}  // namespace tapescope
