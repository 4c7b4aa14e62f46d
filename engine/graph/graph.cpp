// Building and printing graphs.
#include "engine/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tapescope {

GraphQuestion moved(GraphQuestion question, const std::vector<ValueIndex>& values, NodeIndex after) {
  const auto move = [&](ValueIndex& value) {
    if (value != kNoIndex) value = values[value];
  };
  for (ValueIndex& target : question.targets) move(target);
  for (GraphQuestion::Answer& answer : question.answers) move(answer.gradient);
  for (GraphQuestion::Step& step : question.steps) {
    for (GraphQuestion::Part& part : step.cotangents) move(part.value);
    for (GraphQuestion::Part& part : step.gradients) move(part.value);
  }
  question.after = after;
  return question;
}

ValueIndex Graph::add_parameter(const Type* type, NameId name) {
  const auto value = static_cast<ValueIndex>(values_.size());
  values_.push_back({ValueKind::parameter, static_cast<std::uint32_t>(parameters_.size()), 0, type, name});
  parameters_.push_back(value);
  return value;
}

ValueIndex Graph::add_capture(const Tensor& outside) {
  for (std::size_t i = 0; i < captures_.size(); ++i) {
    if (captures_[i].id() == outside.id()) return capture_values_[i];
  }
  const auto value = static_cast<ValueIndex>(values_.size());
  values_.push_back({ValueKind::capture, static_cast<std::uint32_t>(captures_.size()), 0, &outside.type(),
                     outside.impl()->name});
  captures_.push_back(outside);
  capture_values_.push_back(value);
  return value;
}

ValueIndex Graph::add_constant(const Tensor& value) {
  const auto index = static_cast<ValueIndex>(values_.size());
  values_.push_back({ValueKind::constant, static_cast<std::uint32_t>(constants_.size()), 0, &value.type(),
                     value.impl()->name});
  constants_.push_back(value);
  return index;
}

NodeIndex Graph::add_node(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                          const Location& location, ScopeId scope, std::span<const Type* const> types,
                          std::uint8_t flags, NodeIndex forward) {
  const auto node = static_cast<NodeIndex>(nodes_.size());
  nodes_.push_back({&op, attrs, location, scope, static_cast<std::uint32_t>(inputs_.size()),
                    static_cast<std::uint32_t>(inputs.size()), static_cast<ValueIndex>(values_.size()),
                    static_cast<std::uint32_t>(types.size()), forward, flags});
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  for (std::uint32_t i = 0; i < types.size(); ++i)
    values_.push_back({ValueKind::output, node, i, types[i], 0});
  return node;
}

std::string graph_text(const Graph& graph) {
  const auto list = [](std::span<const ValueIndex> values) {
    std::string text;
    for (const ValueIndex value : values) text += fmt::format("{}%{}", text.empty() ? "" : ", ", value);
    return text;
  };
  std::string text = fmt::format("{}({})\n", graph.name(), list(graph.parameters()));
  for (const GraphNode& node : graph.nodes()) {
    std::string outputs, types;
    for (std::uint32_t i = 0; i < node.outputs; ++i) {
      outputs += fmt::format("{}%{}", i ? ", " : "", node.first_output + i);
      types += fmt::format("{}{}", i ? ", " : "", graph.value(node.first_output + i).type->text());
    }
    text += fmt::format("  {} = {}({}) : {}\n", outputs, node.op->name, list(graph.inputs(node)), types);
  }
  return text + fmt::format("  return {}\n", list(graph.results));
}

}  // namespace tapescope
