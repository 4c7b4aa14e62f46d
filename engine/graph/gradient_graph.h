// The gradient of a graph as a graph: its nodes replayed under a tape while tracing.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/graph/trace.h"

namespace tapescope {

struct GradientGraph {
  // Takes the forward values in `saved`, then the cotangents; gives a cotangent for each of `inputs`.
  std::shared_ptr<Graph> graph;
  std::vector<ValueIndex> saved;      // values of the forward graph
  std::vector<std::uint32_t> inputs;  // indices into parameters, then captures, in order
  // For each of `inputs` the dense type of a cotangent that is kept as rows (IndexedSlices), given as two
  // results: values and indices. Null for a dense one, which is one result.
  std::vector<const Type*> rows;
};

// `results` are indices into the forward graph's results that a cotangent is given for; `wanted` says which
// of its parameters and captures want one. Takes the forward values that it needs: of `available`, and throws
// InternalError where they do not suffice; of all, without it. Leaves no event.
GradientGraph gradient_graph(const TracedGraph& forward, std::string name,
                             std::span<const std::uint32_t> results, const std::vector<bool>& wanted,
                             const std::optional<std::vector<ValueIndex>>& available);

}  // namespace tapescope
