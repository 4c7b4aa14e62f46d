// Building a graph from another one.
#include "engine/graph/rewrite.h"

#include <fmt/format.h>

#include "engine/graph/flow_node.h"
#include "engine/graph/infer_types.h"
#include "engine/ops/variable_read.h"

namespace tapescope {

void PassContext::note(std::string_view rule, RewriteKind kind, const GraphNode& at, std::string before,
                       std::string after) {
  report.rewrites.push_back(
      {pass, round, rule, kind, std::move(before), std::move(after), intern_site(at.location, at.scope)});
}

bool is_pure(const GraphNode& node) {
  if (node.op->flags & (OpDef::kRandom | OpDef::kStateful)) return false;
  if ((node.flags & GraphNode::kKeep) || node.attrs.object != 0) return false;
  return find_op(node.op->name) == node.op;
}

bool has_effect(const GraphNode& node) {
  if (node.flags & GraphNode::kKeep) return true;
  if (const FlowRow* flow = flow_row_of(*node.op)) return flow->node->has_effects();
  // A row made at run time, such as the call of a function: what it does inside is not known here.
  if (find_op(node.op->name) != node.op) return true;
  // To read a variable changes nothing. To draw a number does: the next draw gives another one.
  return (node.op->flags & OpDef::kStateful) && node.op != &kReadVariable;
}

std::vector<std::uint32_t> use_counts(const Graph& graph) {
  std::vector<std::uint32_t> counts(graph.values().size(), 0);
  for (const GraphNode& node : graph.nodes()) {
    for (const ValueIndex input : graph.inputs(node)) ++counts[input];
  }
  for (const ValueIndex result : graph.results) ++counts[result];
  return counts;
}

const GraphNode* producer(const Graph& graph, ValueIndex value) {
  const GraphValue& v = graph.value(value);
  return v.kind == ValueKind::output ? &graph.nodes()[v.source] : nullptr;
}

namespace {

std::string source_text(const Graph& graph, ValueIndex value) {
  const GraphValue& v = graph.value(value);
  if (const GraphNode* node = producer(graph, value)) return std::string(node->op->name);
  if (v.kind == ValueKind::constant) {
    return v.type->numel == 1 ? fmt::format("{}", element_value(graph.constants()[v.source], 0)) : "constant";
  }
  if (v.name != 0) return std::string(name_text(v.name));
  return v.kind == ValueKind::parameter ? fmt::format("parameter {}", v.source) : "capture";
}

}  // namespace

std::string describe(const Graph& graph, const OpDef& op, std::span<const ValueIndex> inputs) {
  std::string text = fmt::format("{}(", op.name);
  for (std::size_t i = 0; i < inputs.size(); ++i) text += (i ? ", " : "") + source_text(graph, inputs[i]);
  return text + ")";
}

std::string describe(const Graph& graph, ValueIndex value) {
  if (const GraphNode* node = producer(graph, value)) return describe(graph, *node->op, graph.inputs(*node));
  return source_text(graph, value);
}

Rebuild::Rebuild(const Graph& from) : Rebuild(from, std::vector<bool>(from.parameters().size(), true)) {}

Rebuild::Rebuild(const Graph& from, const std::vector<bool>& parameters)
    : from_(from),
      to_(from.name()),
      values_(from.values().size(), kNoIndex),
      nodes_(from.nodes().size(), kNoIndex) {
  for (ValueIndex value = 0; value < values_.size(); ++value) {
    const GraphValue& v = from.value(value);
    if (v.kind == ValueKind::parameter && parameters[v.source])
      values_[value] = to_.add_parameter(v.type, v.name);
    if (v.kind == ValueKind::capture) values_[value] = to_.add_capture(from.captures()[v.source]);
  }
  to_.programs = from.programs;
}

ValueIndex Rebuild::at(ValueIndex old) {
  if (values_[old] == kNoIndex) {
    const GraphValue& v = from_.value(old);
    if (v.kind != ValueKind::constant)
      fail(ErrorKind::internal, from_.name(), "a rewrite uses a value before it is made");
    values_[old] = to_.add_constant(from_.constants()[v.source]);
  }
  return values_[old];
}

std::vector<ValueIndex> Rebuild::at(std::span<const ValueIndex> old) {
  std::vector<ValueIndex> now;
  for (const ValueIndex value : old) now.push_back(at(value));
  return now;
}

NodeIndex Rebuild::copy(NodeIndex old) { return copy(old, at(from_.inputs(from_.nodes()[old]))); }

NodeIndex Rebuild::copy(NodeIndex old, std::span<const ValueIndex> inputs) {
  const GraphNode& node = from_.nodes()[old];
  std::vector<const Type*> types;
  for (std::uint32_t i = 0; i < node.outputs; ++i) types.push_back(from_.value(node.first_output + i).type);
  const NodeIndex forward = node.forward == kNoIndex ? kNoIndex : nodes_[node.forward];
  nodes_[old] =
      to_.add_node(*node.op, inputs, node.attrs, node.location, node.scope, types, node.flags, forward);
  const ValueIndex first = to_.nodes()[nodes_[old]].first_output;
  for (std::uint32_t i = 0; i < node.outputs; ++i) {
    values_[node.first_output + i] = first + i;
    to_.name_value(first + i, from_.value(node.first_output + i).name);
  }
  return nodes_[old];
}

void Rebuild::put(NodeIndex old, const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                  std::span<const Type* const> types) {
  const GraphNode& node = from_.nodes()[old];
  nodes_[old] = to_.add_node(op, inputs, attrs, node.location, node.scope, types, node.flags);
  for (std::uint32_t i = 0; i < node.outputs; ++i) {
    values_[node.first_output + i] = to_.nodes()[nodes_[old]].first_output + i;
    to_.name_value(values_[node.first_output + i], from_.value(node.first_output + i).name);
  }
}

ValueIndex Rebuild::add(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                        const GraphNode& old, std::span<const Type* const> types) {
  const NodeIndex forward = old.forward == kNoIndex ? kNoIndex : nodes_[old.forward];
  const NodeIndex node = to_.add_node(op, inputs, attrs, old.location, old.scope, types, old.flags, forward);
  return to_.nodes()[node].first_output;
}

ValueIndex Rebuild::add(const OpDef& op, std::span<const ValueIndex> inputs, const Attrs& attrs,
                        const GraphNode& old) {
  std::vector<const Type*> types;
  for (const ValueIndex input : inputs) types.push_back(to_.value(input).type);
  return add(op, inputs, attrs, old, infer_types(op, types, attrs, old.location));
}

void Rebuild::replace(ValueIndex old, ValueIndex now) {
  if (from_.value(old).type != to_.value(now).type) {
    fail(ErrorKind::internal, from_.name(),
         fmt::format("a rewrite gives {} where {} was", to_.value(now).type->text(),
                     from_.value(old).type->text()));
  }
  values_[old] = now;
  const GraphValue &before = from_.value(old), &after = to_.value(now);
  if (before.kind == ValueKind::output && after.kind == ValueKind::output) {
    nodes_[before.source] = after.source;
    if (after.name == 0) to_.name_value(now, before.name);
  }
}

Graph Rebuild::finish() {
  for (const ValueIndex result : from_.results) to_.results.push_back(at(result));
  return std::move(to_);
}

}  // namespace tapescope
