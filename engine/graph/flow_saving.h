// Branches and loops that keep what their gradients need.
#pragma once
#include "engine/graph/graph_function.h"

namespace tapescope {

// The same graph, its branches and loops in their forward variants for that order: before a gradient is taken
// of it. Its parameters, captures and results keep their order.
TracedGraph with_saving_flow(const TracedGraph& traced, GraphFunction::Order order);

}  // namespace tapescope
