// From a step's ops to the graph that viewer/model/layout places: which op is a leaf, a mirror, an update.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "viewer/model/layout.h"
#include "viewer/store/step_view.h"

namespace tapescope::ui {

// What one op of the layout graph stands for.
struct ModelNode {
  std::uint32_t a = kNoOp, b = kNoOp;  // op in A's and B's step; without a comparison only `a`
  std::string source;                  // a source that no op of the step made (a watched constant): its name
  TensorId source_id = 0;
  std::string_view source_shape;  // as the op says that read it first
  std::uint32_t op(int program) const { return program == 0 ? a : b; }
};

struct GraphModel {
  layout::Graph graph;
  std::vector<ModelNode> nodes;                     // parallel to graph.ops
  std::vector<std::uint32_t> node_of_a, node_of_b;  // by op; layout::kNone for ops that are not drawn
  std::vector<std::string> scope_names;             // parallel to graph.scopes; last part of the path
  std::unordered_map<TensorId, std::uint32_t>
      leaves;  // variable handle or source: the node of its (last) leaf

  const std::vector<std::uint32_t>& node_of(int program) const {
    return program == 0 ? node_of_a : node_of_b;
  }
  // The node of an op; layout::kNone when it is not drawn.
  std::uint32_t node_at(int program, std::uint32_t op) const {
    const auto& table = node_of(program);
    return op < table.size() ? table[op] : layout::kNone;
  }
};

// With `b` the union of both: matched ops are one node. Linear; any thread.
GraphModel build_graph(const StepView& a, const StepView* b = nullptr);

// The key a scope has in the layout and in the user's folds, stable from step to step and from run to run.
std::uint64_t scope_key(ScopeId scope);

}  // namespace tapescope::ui
