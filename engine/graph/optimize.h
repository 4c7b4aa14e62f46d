// Rewrites a traced graph to one that does less, with an account of every rewrite.
//
// Passes run in two rounds, then fusions once. A rewrite is bit-exact (the results keep every bit, up to the
// sign and payload of NaN), re-associating (floating-point results may differ in the last bits) or
// NaN-discarding (a NaN or infinity that the program would have shown may vanish). Sources of the rules:
// TensorFlow's Grappler, in our words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/record.h"
#include "engine/graph/graph.h"

namespace tapescope {

enum class Pass : std::uint8_t {
  prune,               // what no result and no effect needs
  value_numbering,     // equal nodes and equal constants become one
  constant_folding,    // what depends on constants alone is computed now
  arithmetic,          // algebra, views, casts, transposes, broadcasts
  loop_invariants,     // what is the same in every round of a loop is computed before it
  recomputation,       // hints only: what could be computed again instead of kept
  matmul_fusion,       // product, bias and activation in one node
  reduction_fusion,    // an elementwise chain and the reduction that ends it in one node
  elementwise_fusion,  // chains of elementwise nodes in one node
  count_,
};
inline constexpr int kPassCount = static_cast<int>(Pass::count_);
// "constant_folding"
std::string_view name_of(Pass pass);

struct OptimizeOptions {
  std::uint32_t off = 0;        // a bit for each pass that is left out
  bool reassociating = true;    // as TensorFlow: x / 255 becomes a product
  bool nan_discarding = false;  // x * 0 becomes 0
  // Adds the fusions that change the order of floating-point work, as a compiler does: reductions of many
  // long rows.
  bool compiled = false;
  int rounds = 2;

  void switch_off(Pass pass) { off |= 1u << static_cast<int>(pass); }
  bool on(Pass pass) const { return !(off >> static_cast<int>(pass) & 1); }
};

// One change of the graph.
struct Rewrite {
  Pass pass;
  int round;
  std::string_view rule;  // "convert_pow"
  RewriteKind kind;
  std::string before, after;  // "Square(Sub)", "SquaredDifference"
  SiteId site;                // of the node that was rewritten
};

struct GraphCost {
  std::uint32_t nodes = 0;
  double bytes = 0;  // read and written by all nodes
  double flops = 0;
};
GraphCost cost_of(const Graph& graph);

struct PassReport {
  NameId graph;  // its name: bodies of control flow are separate graphs
  Pass pass;
  int round;
  bool off;
  GraphCost before, after;
  double microseconds;
  // How many of the report's rewrites and hints there are after it: its own are those since the pass before.
  std::size_t rewrites = 0, hints = 0;
};

// A large value that is kept for long although it is cheap to compute again.
struct RecomputationHint {
  SiteId site;
  std::string_view op;
  double bytes;  // that would not be kept
  double flops;  // that would be spent again
};

struct OptimizeReport {
  std::vector<PassReport> passes;  // in the order they ran
  std::vector<Rewrite> rewrites;
  std::vector<RecomputationHint> hints;  // of each graph the largest first
  GraphCost before, after;
};

// Parameters, captures and results keep their order and number. Passes go through the graphs of branches and
// loops too; costs count those once, as if one round ran.
OptimizeReport optimize(Graph& graph, const OptimizeOptions& options = {});

}  // namespace tapescope
