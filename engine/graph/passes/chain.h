// Finding what may be fused: which nodes have a loop, and how a set of them becomes a program.
#pragma once
#include <optional>

#include "engine/graph/fused.h"
#include "engine/graph/rewrite.h"

namespace tapescope {

// The functions that a node's kernel computes element by element: one, or for AddN one less than its inputs. Empty when
// it is no such node, or of a dtype that has no loops.
std::vector<kernels::TileProgram::Step> element_steps(const Graph& graph, const GraphNode& node);

// Elementwise nodes that one node will stand for: the root, and producers that nobody else uses.
class Chain {
 public:
  // Takes in what it can above `root`, an elementwise node. `uses` are use_counts(graph).
  Chain(const Graph& graph, NodeIndex root, std::span<const std::uint32_t> uses, const std::vector<bool>& taken);

  const std::vector<NodeIndex>& members() const { return members_; }  // ascending
  // What the chain reads, of the old graph.
  const std::vector<ValueIndex>& inputs() const { return inputs_; }
  // The program; empty when the chain does not fit one.
  std::optional<FusedChain> program() const;
  // "Exp, Mul, AddV2"
  std::string text() const;

 private:
  bool takes(NodeIndex node) const;
  std::optional<kernels::TileProgram::Access> access(const Type& type, std::int64_t& row) const;
  void find_inputs();

  const Graph& graph_;
  NodeIndex root_;
  std::vector<NodeIndex> members_;
  std::vector<ValueIndex> inputs_;
};

}  // namespace tapescope
