// The members of a fused node, kept as a graph for the debugger, which runs them one by one.
#pragma once
#include <memory>
#include <span>
#include <unordered_map>

#include "engine/graph/graph.h"

namespace tapescope {

class Parts {
 public:
  // `inputs` are the fused node's, values of the graph that is rewritten.
  Parts(const Graph& from, std::span<const ValueIndex> inputs);

  // The next member, a node of that graph that reads inputs and earlier members alone.
  void add(const GraphNode& member) { add(member, *member.op, member.attrs); }
  // Computed by another row.
  void add(const GraphNode& member, const OpDef& op, const Attrs& attrs);
  void hold(std::shared_ptr<const void> program) { parts_->programs.push_back(std::move(program)); }
  // `results` are the values of that graph that the fused node gives.
  std::shared_ptr<const Graph> finish(std::span<const ValueIndex> results);

 private:
  const Graph& from_;
  std::shared_ptr<Graph> parts_;
  std::unordered_map<ValueIndex, ValueIndex> values_;  // from the old graph's
};

}  // namespace tapescope
