// What a loop's body and condition compute alike in every round moves in front of the loop.
//
// A loop may have no round at all, so only what cannot fail moves. Reads of variables move where the loop
// changes none.
#include <algorithm>
#include <array>

#include "engine/graph/loop_node.h"
#include "engine/graph/rewrite.h"
#include "engine/ops/variable_read.h"

namespace tapescope {
namespace {

// Beside the elementwise ones and views: ops whose kernels take every value of the types they are inferred
// for.
constexpr std::array<std::string_view, 16> kSafe = {
    "MatMul", "BatchMatMulV2", "Einsum",     "Transpose",   "Sum",      "Mean", "Max",  "Min",
    "Prod",   "Softmax",       "LogSoftmax", "BroadcastTo", "ConcatV2", "Pack", "Cast", "StridedSlice"};

bool cannot_fail(const Graph& graph, const GraphNode& node) {
  // Whole numbers have divisions that do.
  const DType made = graph.value(node.first_output).type->dtype;
  if (node.op->batch == BatchRule::elementwise) return is_floating(made) || made == DType::boolean;
  return (node.op->flags & OpDef::kView) ||
         std::find(kSafe.begin(), kSafe.end(), node.op->name) != kSafe.end();
}

class Mover {
 public:
  Mover(Rebuild& outer, NodeIndex index, LoopNode& loop, PassContext& context)
      : outer_(outer),
        index_(index),
        loop_(loop),
        context_(context),
        inputs_(outer.at(outer.from().inputs(outer.from().nodes()[index]))) {}

  void run() {
    std::vector<FlowBody> bodies(loop_.bodies().begin(), loop_.bodies().end());
    for (FlowBody& body : bodies) move_from(body);
    if (!any_) {
      outer_.copy(index_);
      return;
    }
    put_flow(outer_, index_, inputs_, loop_.with_bodies(std::move(bodies)));
  }

 private:
  bool moves(const Graph& graph, const GraphNode& node) const {
    const bool reads = node.op == &kReadVariable && !loop_.has_effects();
    if (node.outputs != 1 || !(reads || (is_pure(node) && cannot_fail(graph, node)))) return false;
    const auto inputs = graph.inputs(node);
    return !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](ValueIndex input) {
      const ValueKind kind = graph.value(input).kind;
      return before_[input] != kNoIndex || kind == ValueKind::capture || kind == ValueKind::constant;
    });
  }

  // The value in front of the loop that one of the body always is.
  ValueIndex before(const Graph& graph, ValueIndex inside) {
    const GraphValue& value = graph.value(inside);
    if (value.kind == ValueKind::capture) return outer_.capture(graph.captures()[value.source]);
    if (value.kind == ValueKind::constant) return outer_.constant(graph.constants()[value.source]);
    return before_[inside];
  }

  void move_from(FlowBody& body) {
    const Graph& graph = *body.graph;
    const LoopNode::Spec& spec = loop_.spec();
    before_.assign(graph.values().size(), kNoIndex);
    for (std::size_t p = 0; p < body.inputs.size(); ++p) {
      if (body.inputs[p] >= spec.carried + spec.lists)
        before_[graph.parameters()[p]] = inputs_[body.inputs[p]];
    }
    std::vector<bool> moved(graph.nodes().size(), false);
    for (NodeIndex n = 0; n < moved.size(); ++n) {
      GraphNode node = graph.nodes()[n];
      if (!moves(graph, node)) continue;
      std::vector<ValueIndex> operands;
      for (const ValueIndex input : graph.inputs(node)) operands.push_back(before(graph, input));
      context_.note("move_before_loop", RewriteKind::bit_exact, node, describe(graph, node.first_output), "");
      node.forward = kNoIndex;
      const Type* types[] = {graph.value(node.first_output).type};
      before_[node.first_output] = outer_.add(*node.op, operands, node.attrs, node, types);
      moved[n] = any_ = true;
    }
    if (std::none_of(moved.begin(), moved.end(), [](bool m) { return m; })) return;
    auto made = std::make_shared<Graph>(without(graph, moved, body));
    for (const auto& program : graph.programs) outer_.hold(program);
    body.graph = std::move(made);
    body.function = nullptr;
  }

  // The body without the nodes that moved; their values are parameters where they are still used.
  Graph without(const Graph& graph, const std::vector<bool>& moved, FlowBody& body) {
    std::vector<bool> used(graph.values().size(), false);
    for (NodeIndex n = 0; n < moved.size(); ++n) {
      if (moved[n]) continue;
      for (const ValueIndex input : graph.inputs(graph.nodes()[n])) used[input] = true;
    }
    for (const ValueIndex result : graph.results) used[result] = true;
    Rebuild inside(graph);
    for (NodeIndex n = 0; n < moved.size(); ++n) {
      const ValueIndex value = graph.nodes()[n].first_output;
      if (!moved[n]) {
        inside.copy(n);
      } else if (used[value]) {
        inside.replace(value, inside.parameter(graph.value(value).type, graph.value(value).name));
        body.inputs.push_back(static_cast<std::uint32_t>(inputs_.size()));
        body.elements.push_back(false);
        inputs_.push_back(before_[value]);
      }
    }
    return inside.finish();
  }

  Rebuild& outer_;
  const NodeIndex index_;
  LoopNode& loop_;
  PassContext& context_;
  std::vector<ValueIndex> inputs_;  // of the node, of the new graph
  std::vector<ValueIndex>
      before_;  // of parameters and moved nodes, see before(); kNoIndex for what rounds differ in
  bool any_ = false;
};

}  // namespace

void move_loop_invariants(Graph& graph, PassContext& context) {
  const auto nodes = graph.nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const GraphNode& node) { return flow_row_of(*node.op); }))
    return;
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const FlowRow* flow = flow_row_of(*nodes[n].op);
    auto* loop = flow ? dynamic_cast<LoopNode*>(flow->node) : nullptr;
    if (loop) Mover(rebuild, n, *loop, context).run();
    else rebuild.copy(n);
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
