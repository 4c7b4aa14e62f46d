// The order of passes, and what each one cost and saved.
#include "engine/graph/optimize.h"

#include <algorithm>

#include "engine/events/clock.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/rewrite.h"

namespace tapescope {
namespace {

struct PassRow {
  Pass pass;
  void (*run)(Graph&, PassContext&);
};

// As Grappler's, shortened to what applies here.
constexpr PassRow kEachRound[] = {
    {Pass::prune, prune},
    {Pass::value_numbering, number_values},
    {Pass::constant_folding, fold_constants},
    {Pass::arithmetic, simplify_arithmetic},
    {Pass::loop_invariants, move_loop_invariants},
};
// What the last arithmetic left unused goes first, since a value with another user is not fused. Reductions
// come before chains: a chain would take what they end.
constexpr PassRow kOnce[] = {
    {Pass::prune, prune},
    {Pass::recomputation, hint_recomputation},
    {Pass::matmul_fusion, fuse_matmuls},
    {Pass::reduction_fusion, fuse_reductions},
    {Pass::elementwise_fusion, fuse_elementwise},
};

void run_on(const PassRow& row, Graph& graph, PassContext& context);

// In the graphs of branches and loops, whose nodes are replaced.
void run_in_bodies(const PassRow& row, Graph& graph, PassContext& context) {
  const auto nodes = graph.nodes();
  if (std::none_of(nodes.begin(), nodes.end(), [](const GraphNode& node) { return flow_row_of(*node.op); }))
    return;
  Rebuild rebuild(graph);
  std::vector<const void*> replaced;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const FlowRow* flow = flow_row_of(*nodes[n].op);
    if (!flow) {
      rebuild.copy(n);
      continue;
    }
    replaced.push_back(flow->node);
    std::vector<FlowBody> bodies(flow->node->bodies().begin(), flow->node->bodies().end());
    for (FlowBody& body : bodies) {
      auto changed = std::make_shared<Graph>(*body.graph);
      run_on(row, *changed, context);
      body.graph = std::move(changed);
      body.function = nullptr;
    }
    put_flow(rebuild, n, rebuild.at(graph.inputs(nodes[n])), flow->node->with_bodies(std::move(bodies)));
  }
  Graph made = rebuild.finish();
  std::erase_if(made.programs, [&](const auto& program) {
    return std::find(replaced.begin(), replaced.end(), program.get()) != replaced.end();
  });
  graph = std::move(made);
}

void run_on(const PassRow& row, Graph& graph, PassContext& context) {
  run_in_bodies(row, graph, context);
  row.run(graph, context);
}

void run_pass(const PassRow& row, Graph& graph, int round, const OptimizeOptions& options,
              OptimizeReport& report) {
  PassReport pass_report{
      intern_name(graph.name()), row.pass, round, !options.on(row.pass), cost_of(graph), {}, 0};
  const Ticks begin = ticks();
  if (!pass_report.off) {
    PassContext context{row.pass, round, options, report};
    run_on(row, graph, context);
  }
  pass_report.microseconds = microseconds(ticks() - begin);
  pass_report.after = cost_of(graph);
  pass_report.rewrites = report.rewrites.size();
  pass_report.hints = report.hints.size();
  report.passes.push_back(pass_report);
}

void optimize_one(Graph& graph, const OptimizeOptions& options, OptimizeReport& report) {
  for (int round = 1; round <= options.rounds; ++round) {
    for (const PassRow& row : kEachRound) run_pass(row, graph, round, options, report);
  }
  for (const PassRow& row : kOnce) run_pass(row, graph, options.rounds + 1, options, report);
}

}  // namespace

std::string_view name_of(Pass pass) {
  constexpr std::string_view kNames[kPassCount] = {"prune",         "value_numbering",  "constant_folding",
                                                   "arithmetic",    "loop_invariants",  "recomputation",
                                                   "matmul_fusion", "reduction_fusion", "elementwise_fusion"};
  return kNames[static_cast<int>(pass)];
}

GraphCost cost_of(const Graph& graph) {
  GraphCost total;
  std::vector<const Type*> in, out;
  for (const GraphNode& node : graph.nodes()) {
    ++total.nodes;
    if (const FlowRow* flow = flow_row_of(*node.op)) {
      for (const FlowBody& body : flow->node->bodies()) {
        const GraphCost inside = cost_of(*body.graph);
        total.nodes += inside.nodes;
        total.bytes += inside.bytes;
        total.flops += inside.flops;
      }
    }
    if (!node.op->cost) continue;
    in.clear();
    out.clear();
    for (const ValueIndex input : graph.inputs(node)) in.push_back(graph.value(input).type);
    for (std::uint32_t i = 0; i < node.outputs; ++i) out.push_back(graph.value(node.first_output + i).type);
    const OpCost cost = node.op->cost(in, out, node.attrs);
    total.bytes += cost.bytes;
    total.flops += cost.flops;
  }
  return total;
}

OptimizeReport optimize(Graph& graph, const OptimizeOptions& options) {
  OptimizeReport report;
  report.before = cost_of(graph);
  optimize_one(graph, options, report);
  report.after = cost_of(graph);
  return report;
}

}  // namespace tapescope
