// Finding what may be fused: which nodes have a loop, and how a set of them becomes a program.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "engine/graph/fused.h"
#include "engine/graph/passes/parts.h"
#include "engine/graph/rewrite.h"

namespace tapescope {

// The functions that a node's kernel computes element by element: one, or for AddN one less than its inputs.
// Empty when it is no such node, or of a dtype that has no loops.
std::vector<kernels::TileProgram::Step> element_steps(const Graph& graph, const GraphNode& node);

// Who uses each value, in the order of nodes; the graph's results come after all of them.
class ValueUsers {
 public:
  explicit ValueUsers(const Graph& graph);
  std::size_t count(ValueIndex value) const { return of(value).size(); }
  // Uses by nodes up to `last`.
  std::size_t count_until(ValueIndex value, NodeIndex last) const;

 private:
  std::span<const NodeIndex> of(ValueIndex value) const {
    return std::span(users_).subspan(first_[value], first_[value + 1] - first_[value]);
  }
  std::vector<std::size_t> first_;  // by value, and the end
  std::vector<NodeIndex> users_;
};

// What besides the root's value a chain may give.
enum class ChainResults { root_alone, what_is_used_later };
// What a chain is for: the interpreter, whose registers share the first cache; or machine code, which holds
// more values and takes in the nodes of a forward pass and of its gradient alike.
enum class ChainTarget { interpreter, machine_code };

// Elementwise nodes that one node in the place of the last one, the root, will stand for.
class Chain {
 public:
  // Takes in what it can above `root`, an elementwise node: producers whose users up to the root are all in
  // the chain.
  Chain(const Graph& graph, NodeIndex root, const ValueUsers& users, const std::vector<bool>& taken,
        ChainResults give, ChainTarget target = ChainTarget::interpreter);
  // The larger one of those for the two targets where `compiled`, else that for the interpreter.
  static Chain best(const Graph& graph, NodeIndex root, const ValueUsers& users,
                    const std::vector<bool>& taken, ChainResults give, bool compiled);

  const std::vector<NodeIndex>& members() const { return members_; }  // ascending
  // Members whose values are results: those that are used after the root, and the root, which is the last.
  const std::vector<NodeIndex>& kept() const { return kept_; }
  // The values of those members.
  std::vector<ValueIndex> results() const;
  // What the chain reads, of the old graph.
  const std::vector<ValueIndex>& inputs() const { return inputs_; }
  // The program; empty when the chain does not fit one.
  std::optional<FusedChain> program() const;
  // All members, in order.
  Parts parts() const;
  // "Exp, Mul, AddV2"
  std::string text() const;

 private:
  bool takes(NodeIndex node) const;
  bool is_kept(NodeIndex member) const;
  std::optional<kernels::TileProgram::Access> access(const Type& type, std::int64_t& row) const;
  // From the root on, by each node for which `fits()` holds once it is a member.
  template <class Fits>
  void grow(const std::vector<bool>& taken, ChainResults give, Fits fits);
  void find_inputs();

  const Graph& graph_;
  const ValueUsers& users_;
  NodeIndex root_;
  ChainTarget target_;
  std::vector<NodeIndex> members_, kept_;
  std::vector<ValueIndex> inputs_;
};

// The chains that a pass found in a graph, by the node that each one ends in; a node belongs to one chain at
// most.
class Chains {
 public:
  explicit Chains(const Graph& graph) : taken_(graph.nodes().size(), false), by_end_(graph.nodes().size()) {}

  const std::vector<bool>& taken() const { return taken_; }
  void take(NodeIndex end, Chain chain) {
    for (const NodeIndex member : chain.members()) taken_[member] = true;
    by_end_[end].emplace(std::move(chain));
  }
  // Only the end is replaced: the members stay.
  void take_end(NodeIndex end, Chain chain) { by_end_[end].emplace(std::move(chain)); }
  // The graph with each chain's end replaced by what `fuse(rebuild, node, chain)` adds, and without its other
  // members.
  template <class Fuse>
  Graph rebuilt(const Graph& graph, Fuse fuse) const {
    Rebuild rebuild(graph);
    for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
      if (by_end_[n]) fuse(rebuild, graph.nodes()[n], *by_end_[n]);
      else if (!taken_[n]) rebuild.copy(n);
    }
    return rebuild.finish();
  }

 private:
  std::vector<bool> taken_;
  std::vector<std::optional<Chain>> by_end_;
};

// Adds a node that runs `program` in the place of `old`; returns its first output.
ValueIndex add_fused(Rebuild& rebuild, const OpDef& op, FusedChain program, const Chain& chain,
                     const GraphNode& old);

}  // namespace tapescope
