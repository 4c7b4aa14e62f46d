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

#include "engine/events/records/graphs.h"
#include "engine/graph/graph.h"
#include "engine/graph/optimize_options.h"

namespace tapescope {

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
