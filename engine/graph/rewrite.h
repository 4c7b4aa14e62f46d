// What passes share: a new graph made beside the old one, and the log of what was changed.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/optimize.h"

namespace tapescope {

// One pass over one graph.
struct PassContext {
  Pass pass;
  int round;
  const OptimizeOptions& options;
  OptimizeReport& report;

  bool allows(RewriteKind kind) const {
    return kind == RewriteKind::bit_exact || (kind == RewriteKind::reassociating && options.reassociating) ||
           (kind == RewriteKind::nan_discarding && options.nan_discarding);
  }
  void note(std::string_view rule, RewriteKind kind, const GraphNode& at, std::string before,
            std::string after);
};

void prune(Graph& graph, PassContext& context);
void number_values(Graph& graph, PassContext& context);
void fold_constants(Graph& graph, PassContext& context);
void simplify_arithmetic(Graph& graph, PassContext& context);
void move_loop_invariants(Graph& graph, PassContext& context);
void hint_recomputation(Graph& graph, PassContext& context);
void fuse_matmuls(Graph& graph, PassContext& context);
void fuse_reductions(Graph& graph, PassContext& context);
void fuse_elementwise(Graph& graph, PassContext& context);

// Larger constants are not made: a node that computes them costs less than the memory.
inline constexpr std::int64_t kLargestFolded = 100 * 1024;

// Whether equal calls of the node give equal values and nothing else: it may be merged, folded and fused.
// Nodes that name a body or an object of the run are left alone.
bool is_pure(const GraphNode& node);
// Whether the node must run although nothing uses its outputs.
bool has_effect(const GraphNode& node);

// How many nodes and results use each value.
std::vector<std::uint32_t> use_counts(const Graph& graph);
// The node that makes the value; null for parameters, captures and constants.
const GraphNode* producer(const Graph& graph, ValueIndex value);
// "Mul(Sub, 2)": the op with what makes its inputs, for the log.
std::string describe(const Graph& graph, const OpDef& op, std::span<const ValueIndex> inputs);
std::string describe(const Graph& graph, ValueIndex value);

// Builds the graph that follows from another one, node by node in the old one's order.
class Rebuild {
 public:
  explicit Rebuild(const Graph& from);
  // With only those of its parameters; nothing uses the others.
  Rebuild(const Graph& from, const std::vector<bool>& parameters);

  const Graph& from() const { return from_; }
  const Graph& to() const { return to_; }
  // Indices of the new graph from here on, but for those called `old`.
  ValueIndex at(ValueIndex old);
  std::vector<ValueIndex> at(std::span<const ValueIndex> old);
  NodeIndex copy(NodeIndex old);
  // The same node with other inputs.
  NodeIndex copy(NodeIndex old, std::span<const ValueIndex> inputs);
  // A node in the place of an old one, whose location, scope and flags it takes over. Returns its first
  // output.
  ValueIndex add(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                 const GraphNode& old, std::span<const Type* const> types);
  // The type is inferred.
  ValueIndex add(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                 const GraphNode& old);
  ValueIndex constant(const Tensor& value) { return to_.add_constant(value); }
  ValueIndex capture(const Tensor& value) { return to_.add_capture(value); }
  // One more, after those of the old graph.
  ValueIndex parameter(const Type* type, NameId name) { return to_.add_parameter(type, name); }
  // A node of another op in the place of an old one; its first outputs stand for the old one's.
  void put(NodeIndex old, const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
           std::span<const Type* const> types);
  // Users of `old` will use `now`, which is of the same type.
  void replace(ValueIndex old, ValueIndex now);
  // The node that makes `now` does the work of `old` too: gradients of the one are gradients of the other.
  void stands_for(NodeIndex old, ValueIndex now) { nodes_[old] = to_.value(now).source; }
  void hold(std::shared_ptr<const void> program) { to_.programs.push_back(std::move(program)); }
  Graph finish();

 private:
  const Graph& from_;
  Graph to_;
  std::vector<ValueIndex> values_;  // by old value
  std::vector<NodeIndex> nodes_;    // by old node
};

}  // namespace tapescope
