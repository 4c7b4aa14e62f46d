// Copies members into a graph beside the one that is rewritten.
#include "engine/graph/passes/parts.h"

#include <vector>

namespace tapescope {

Parts::Parts(const Graph& from, std::span<const ValueIndex> inputs)
    : from_(from), parts_(std::make_shared<Graph>(from.name())) {
  for (const ValueIndex input : inputs)
    values_[input] = parts_->add_parameter(from.value(input).type, from.value(input).name);
}

void Parts::add(const GraphNode& member, const OpDef& op, const Attrs& attrs) {
  std::vector<ValueIndex> inputs;
  for (const ValueIndex input : from_.inputs(member)) inputs.push_back(values_.at(input));
  std::vector<const Type*> types;
  for (std::uint32_t i = 0; i < member.outputs; ++i)
    types.push_back(from_.value(member.first_output + i).type);
  const NodeIndex made =
      parts_->add_node(op, inputs, attrs, member.location, member.scope, types, member.flags);
  for (std::uint32_t i = 0; i < member.outputs; ++i) {
    const ValueIndex value = parts_->nodes()[made].first_output + i;
    parts_->name_value(value, from_.value(member.first_output + i).name);
    values_[member.first_output + i] = value;
  }
}

std::shared_ptr<const Graph> Parts::finish(std::span<const ValueIndex> results) {
  for (const ValueIndex result : results) parts_->results.push_back(values_.at(result));
  return std::move(parts_);
}

}  // namespace tapescope
