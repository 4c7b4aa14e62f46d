// Exchanges each node that runs graphs for its forward variant.
#include "engine/graph/flow_saving.h"

#include "engine/graph/flow_node.h"
#include "engine/graph/rewrite.h"

namespace tapescope {

TracedGraph with_saving_flow(const TracedGraph& traced, GraphFunction::Order order) {
  TracedGraph saving = traced;
  const Graph& graph = *traced.graph;
  bool any = false;
  for (const GraphNode& node : graph.nodes()) any |= flow_row_of(*node.op) != nullptr;
  if (!any) return saving;
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
    const FlowRow* row = flow_row_of(*graph.nodes()[n].op);
    const std::shared_ptr<FlowNode> variant = row ? row->node->forward(order) : nullptr;
    if (!variant || variant.get() == row->node) {
      rebuild.copy(n);
      continue;
    }
    put_flow(rebuild, n, rebuild.at(graph.inputs(graph.nodes()[n])), variant);
  }
  saving.graph = std::make_shared<Graph>(rebuild.finish());
  return saving;
}

}  // namespace tapescope
