// What the optimizer did to each graph of each function, by its records.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/names.h"
#include "engine/events/records/graphs.h"

namespace tapescope {

struct GraphFigures {
  std::uint32_t nodes = 0;
  double bytes = 0;  // read and written by all nodes
  double flops = 0;
};

struct PassAccount {
  std::string_view pass;  // "constant_folding"
  int round = 0;          // from 1; fusions come in the last one
  bool off = false;       // switched off: it changed nothing
  GraphFigures before, after;
};

struct RewriteAccount {
  std::string_view pass;
  int round = 0;
  std::string_view rule;  // "convert_pow"
  RewriteKind kind = RewriteKind::bit_exact;
  std::string_view before, after;  // "Pow(x, 2)", "Square"
  SiteId site = 0;                 // of the node that was rewritten
};

// A large value that is kept although it is cheap to compute again.
struct RecomputeAccount {
  std::string_view op;
  double bytes = 0, flops = 0;  // that would not be kept, that would be spent again
  SiteId site = 0;
};

// A loop of the program that a trace holds as copies of its body.
struct LoopAccount {
  std::uint32_t trace = 0;  // id of the function's trace, from 1
  std::string_view op;      // of its first node
  std::uint32_t rounds = 0;
  std::uint32_t nodes = 0;        // of all rounds together
  std::uint32_t trace_nodes = 0;  // that the trace has
  SiteId site = 0;                // of its first node
  std::uint64_t ticks = 0;        // that the trace took
};

// An op inside a fused loop.
struct MemberAccount {
  std::string_view op;
  SiteId site = 0;
  double share = 0;  // of the time of all members, each measured alone; from 0 to 1
};

// What the optimizer made of several ops.
struct FusedLoopAccount {
  std::string_view op;  // "_FusedElementwise"
  SiteId site = 0;
  std::vector<MemberAccount> members;  // in the order they are computed
  LoopCode code = LoopCode::interpreter;
  std::string_view why;     // it is not machine code
  std::uint32_t bytes = 0;  // of its machine code
  double microseconds = 0;  // that making the code took
};

struct GraphAccount {
  std::string_view name;  // "f", "__forward_f", "__backward___forward_f"
  std::uint32_t function = 0;
  std::uint32_t trace = 0;          // id of the function's trace, from 1
  std::vector<PassAccount> passes;  // in the order they ran
  std::vector<RewriteAccount> rewrites;
  std::vector<RecomputeAccount> hints;  // the largest first
  std::vector<FusedLoopAccount> loops;

  GraphFigures before() const { return passes.empty() ? GraphFigures{} : passes.front().before; }
  GraphFigures after() const { return passes.empty() ? GraphFigures{} : passes.back().after; }
};

// "bit_exact", "reassociating", "nan_discarding"
std::string_view name_of(RewriteKind kind);
// "interpreter", "waiting", "machine_code"
std::string_view name_of(LoopCode code);

// Reads graph_pass and rewrite records in the order their threads wrote them; others pass it by.
class GraphLog {
 public:
  // `group` counts for headings: graphs of one are listed together.
  void add(std::uint32_t thread, const Record& record, std::size_t group);
  // Those of one group in the order they were optimized, and how many older ones were let go of.
  struct Graphs {
    std::vector<std::shared_ptr<const GraphAccount>> kept;
    std::uint64_t dropped = 0;
  };
  Graphs graphs(std::size_t group) const;

 private:
  struct Group {
    std::deque<std::shared_ptr<const GraphAccount>> graphs;
    std::uint64_t dropped = 0;
  };
  // The graph whose records still arrive, and its copy as it was last handed out.
  struct Open {
    std::optional<GraphAccount> graph;
    std::size_t group = 0;
    mutable std::shared_ptr<const GraphAccount> shown;
  };
  void close(Open& open);
  // Calls change(account) for the latest graph of that name, function and trace.
  template <class R, class Change>
  void change(const R& record, std::size_t group, Change change);

  // Who is traced without end keeps the latest graphs; older ones are counted.
  static constexpr std::size_t kMostGraphs = 128;
  std::unordered_map<std::size_t, Group> groups_;
  std::map<std::uint32_t, Open> open_;  // by thread
};

}  // namespace tapescope
