// The part of a graph that lies between some of its values.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/graph/graph.h"

namespace tapescope {

// A graph of the nodes that `results` need, which takes `parameters`, values of `from`, as given. Captures
// and constants are shared. `reach` is called with each value that is a parameter of `from` and none of
// `parameters`, and with each stateful node in between: it may throw.
std::shared_ptr<Graph> extract(const Graph& from, std::string name, std::span<const ValueIndex> parameters,
                               std::span<const ValueIndex> results,
                               const std::function<void(ValueIndex)>& reach);

}  // namespace tapescope
