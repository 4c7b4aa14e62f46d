// Offers each node to the rules of its op; the first that applies replaces it.
#include "engine/graph/passes/arithmetic.h"

#include <cmath>
#include <unordered_map>

#include "engine/graph/looks.h"

namespace tapescope {
namespace {

using Rules = std::unordered_map<const OpDef*, std::vector<const ArithmeticRule*>>;

const Rules& all_rules() {
  static const Rules rules = [] {
    Rules by_op;
    for (auto part : {algebra_rules(), function_rules(), shape_rules()}) {
      for (const ArithmeticRule& rule : part) by_op[find_op(rule.op)].push_back(&rule);
    }
    return by_op;
  }();
  return rules;
}

}  // namespace

const GraphNode* Match::made_by(ValueIndex value, std::string_view op) const {
  const GraphNode* node = producer(rebuild_.to(), value);
  return node && node->op->name == op && is_pure(*node) ? node : nullptr;
}

const Tensor* Match::constant(ValueIndex value) const {
  const GraphValue& v = rebuild_.to().value(value);
  return v.kind == ValueKind::constant ? &rebuild_.to().constants()[v.source] : nullptr;
}

std::optional<double> Match::uniform(ValueIndex value) const {
  // Through what only gives a number another shape; such chains are short.
  for (;;) {
    if (const Tensor* tensor = constant(value)) {
      if (tensor->numel() == 0 || tensor->dtype() == DType::resource) return std::nullopt;
      const double first = element_value(*tensor, 0);
      // A 64-bit integer may not fit a double.
      if (tensor->dtype() == DType::i64 && std::abs(first) > 1e15) return std::nullopt;
      for (std::int64_t i = 1; i < tensor->numel(); ++i) {
        if (!(element_value(*tensor, i) == first)) return std::nullopt;
      }
      // The sign of a zero matters where it is added.
      return first;
    }
    const GraphNode* node = producer(rebuild_.to(), value);
    if (!node) return std::nullopt;
    if (node->op->name == "ZerosLike") return 0;
    if (node->op->name == "OnesLike") return 1;
    if (node->op->name != "BroadcastTo" && node->op->name != "Fill" && node->op->name != "Reshape")
      return std::nullopt;
    value = rebuild_.to().inputs(*node)[0];
  }
}

ValueIndex Match::add(std::string_view op, std::span<const ValueIndex> inputs, const Attrs& attrs) {
  return rebuild_.add(*find_op(op), inputs, attrs, node_);
}

ValueIndex Match::add(std::string_view op, std::initializer_list<ValueIndex> inputs, const Attrs& attrs) {
  return add(op, std::span(inputs.begin(), inputs.size()), attrs);
}

ValueIndex Match::constant_like(ValueIndex value, double number) {
  return rebuild_.constant(make_full(Shape{}, number, type(value).dtype));
}

ValueIndex Match::reshaped(ValueIndex value, const Shape& shape) {
  if (type(value).shape == shape) return value;
  Attrs attrs;
  for (const std::int64_t size : shape.dims()) attrs.push(size);
  return add("Reshape", {value}, attrs);
}

void simplify_arithmetic(Graph& graph, PassContext& context) {
  Rebuild rebuild(graph);
  // Rules for a value's only reader are to fit with and without a look at it: they change last bits.
  std::vector<std::uint32_t> old_uses = use_counts(graph);
  for (const GraphNode& node : graph.nodes()) {
    if (!is_look(node)) continue;
    for (const ValueIndex input : graph.inputs(node)) --old_uses[input];
  }
  std::vector<std::uint32_t> uses;  // of values of the new graph, by nodes of the old one
  const auto carry_uses = [&](ValueIndex old) {
    const ValueIndex now = rebuild.at(old);
    if (uses.size() <= now) uses.resize(now + 1, 0);
    uses[now] += old_uses[old];
  };
  for (const ValueIndex parameter : graph.parameters()) carry_uses(parameter);
  for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    const std::vector<ValueIndex> inputs = rebuild.at(graph.inputs(node));
    bool replaced = false;
    const auto rules = all_rules().find(node.op);
    if (rules != all_rules().end() && is_pure(node) && node.outputs == 1) {
      for (const ArithmeticRule* rule : rules->second) {
        Match match(rebuild, context, node, inputs, uses);
        const ValueIndex now = rule->apply(match);
        if (now == kNoIndex) continue;
        context.note(rule->name, match.kind(), node, describe(rebuild.to(), *node.op, inputs),
                     describe(rebuild.to(), now));
        rebuild.replace(node.first_output, now);
        replaced = true;
        break;
      }
    }
    if (!replaced) rebuild.copy(n, inputs);
    for (std::uint32_t i = 0; i < node.outputs; ++i) carry_uses(node.first_output + i);
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
