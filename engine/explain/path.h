// The way from a target back to a source, through all ops that ran, that has the fewest breaks.
//
// Every op counts, recorded or not. `weak` searches cross what carries values without a tape noticing as
// well: an assignment to a variable, and values that went to the host and came back as a new tensor.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/explain/breaks.h"

namespace tapescope {

struct PathStep {
  enum class Kind : std::uint8_t { op, host_read, assign } kind = Kind::op;
  std::uint32_t index = 0;   // of the op, host read or assignment
  std::uint32_t output = 0;  // which one of a call's results the way comes through
  std::uint32_t slot = 0;    // the input by which it goes on towards the source
  TensorId input = 0;        // the tensor there
  Break cut;                 // no reason when a gradient passes, or an earlier break is only repeated
  std::uint32_t cut_op = 0;  // the op that cuts, when kind is op
  bool inside = false;       // it is a call, and an op of its graph cuts
};

struct InsideCall;
class InsideCalls;

// Time and memory grow linearly with what the target depends on; nothing recurses.
class PathSearch {
 public:
  PathSearch(const Asked& asked, bool weak);
  // A search among the ops of one graph: no tape was there, only what the ops do counts.
  struct Graph {
    std::uint32_t start = kNoIndex, output = 0;  // the op it begins at, and which of its outputs
    std::vector<TensorId> sources;               // every one stands for the source
    std::vector<TensorId> ends;                  // of the graph: what the call was given
    int depth = 0;                               // calls that it is inside of
    InsideCalls* insides = nullptr;              // of the search that is about the outermost of them
  };
  PathSearch(const Asked& asked, bool weak, Graph graph);
  ~PathSearch();

  // Steps from the target towards the source; empty when there is no way. Of two ways with equally many
  // breaks the one that breaks nearer the source is taken, or nearer the target for what ran after the block.
  std::vector<PathStep> run();
  // After run(): how many breaks the way has, where a guess counts as one more; kNoIndex without a way.
  std::uint32_t breaks() const { return nodes_.empty() ? kNoIndex : nodes_.front().cuts; }
  // After run(): whether the target depends on this tensor.
  bool passes(TensorId tensor) const;
  // After run(): indices of the ops the target depends on, later ones after what they need.
  std::vector<std::uint32_t> visited() const;

 private:
  static constexpr std::uint32_t kFromSource = kNoIndex - 1;
  struct Place {
    PathStep::Kind kind = PathStep::Kind::op;
    bool crossed = false;  // beyond a weak edge
    bool guess = false;    // a host read that other values came back from
    std::uint32_t index = 0;
    std::uint32_t output = 0;  // of a call: which result
  };
  struct Node {
    Place place;
    std::uint32_t next_edge = 0;
    std::uint32_t cuts = kNoIndex;     // breaks on the best way; kNoIndex while there is none
    std::uint32_t reach = 0;           // edges from the source to the first break
    Reason last = Reason::none;        // the latest break on that way
    TensorId use = 0;                  // what the op on it that takes the source makes
    std::uint32_t towards = kNoIndex;  // the node it goes on to, or kFromSource
    PathStep step;
  };
  struct Edge {
    TensorId tensor = 0;
    bool to_source = false;
    bool leads = false;  // `to` is a place
    Place to;
    std::uint32_t extra = 0;  // added to the breaks: a guess weighs more than what is certain
  };

  // Edges of an op: its inputs, then weak ones: a variable's assigned value, what the host put into a traced
  // function.
  std::uint32_t edge_count(const Place& place) const;
  std::uint32_t strong_edges(const HistoryOp& op) const {
    return op.inputs + (weak_ && op.flags & OpRecord::kHandle ? 1 : 0);
  }
  Edge edge(const Place& place, std::uint32_t i) const;
  // `values`: what holds a variable's value stands for the variable.
  Edge through_tensor(TensorId tensor, bool crossed, bool values = false) const;
  bool host_values(std::uint32_t thread, TensorId tensor, Edge& edge) const;
  bool assigned_value(const HistoryOp& op, Edge& edge) const;
  Break cut_at(const Place& place, std::uint32_t i, const Edge& edge, bool live, std::uint32_t& cut_op) const;
  bool find_start(Place& place) const;
  bool is_source(TensorId tensor) const;
  bool reaches(std::uint32_t op) const;
  Place place_of(std::uint32_t op, TensorId output, bool crossed) const;
  // What the call at that place does with input `i`; null for an op that is no call.
  const InsideCall* inside(const Place& place, std::uint32_t i);
  std::uint32_t* slot(const Place& place);
  std::uint32_t visit(const Place& place);
  void settle(std::uint32_t node);

  Asked asked_;
  bool weak_;
  bool in_graph_ = false;
  Graph graph_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;  // nodes, in the order they were settled
  bool unwatched_ = false;            // no tape was to follow the source
  std::vector<std::uint32_t> of_op_[2];
  std::unordered_map<std::uint32_t, std::uint32_t> of_assign_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_read_;  // twice the index, and one for guesses
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> of_later_result_;  // of calls
  std::unique_ptr<InsideCalls> insides_;  // of a search that is inside of none
};

}  // namespace tapescope
