// Runs the part of the trace's graph that leads to the value.
#include "engine/graph/known_value.h"

#include <algorithm>

#include "engine/graph/executor.h"
#include "engine/graph/extract.h"
#include "engine/graph/rewrite.h"
#include "engine/graph/trace.h"

namespace tapescope {

Tensor known_value(const Tensor& tensor, const Location& location) {
  if (!is_symbol(tensor)) return tensor;
  const Graph& graph = *Trace::current_graph();
  const ValueIndex wanted[] = {Trace::current_value(tensor, location)};
  bool known = true;
  const auto part = extract(graph, graph.name(), {}, wanted, [&](ValueIndex) { known = false; });
  if (!known || !std::all_of(part->nodes().begin(), part->nodes().end(), is_pure)) return {};
  const InitScope outside;
  const Mute mute;
  Tensor value;
  Executable(part).run({}, {&value, 1});
  return value;
}

}  // namespace tapescope
