// Rules of functions of one argument: pairs that cancel or repeat, and pairs for which there is one op.
#include "engine/graph/passes/arithmetic.h"

namespace tapescope {
namespace {

// f(f(x)) = x, to the bit.
ValueIndex remove_involution(Match& m) {
  const GraphNode* inner = m.made_by(m.in(0), m.op().name);
  return inner ? m.input(*inner, 0) : kNo;
}
ValueIndex remove_reciprocal_twice(Match& m) {
  const GraphNode* inner = m.made_by(m.in(0), "Reciprocal");
  return inner && m.may(RewriteKind::reassociating) ? m.input(*inner, 0) : kNo;
}
// f(f(x)) = f(x)
ValueIndex remove_idempotent(Match& m) { return m.made_by(m.in(0), m.op().name) ? m.in(0) : kNo; }

// The other operand of a sum with 1, kept in full.
ValueIndex beside_one(Match& m, const GraphNode& sum) {
  for (const std::size_t i : {0, 1}) {
    const ValueIndex other = m.input(sum, 1 - i);
    if (m.is_uniform(m.input(sum, i), 1) && &m.type(other) == &m.out_type()) return other;
  }
  return kNo;
}
ValueIndex convert_log1p(Match& m) {
  const GraphNode* sum = m.made_by(m.in(0), "AddV2");
  if (!sum || !m.only_user(m.in(0))) return kNo;
  const ValueIndex x = beside_one(m, *sum);
  return x != kNo && m.may(RewriteKind::reassociating) ? m.add("Log1p", {x}) : kNo;
}
ValueIndex convert_expm1(Match& m) {
  const GraphNode* power = m.made_by(m.in(0), "Exp");
  if (!power || !m.only_user(m.in(0)) || !m.is_uniform(m.in(1), 1) || &m.in_type(0) != &m.out_type())
    return kNo;
  return m.may(RewriteKind::reassociating) ? m.add("Expm1", {m.input(*power, 0)}) : kNo;
}
ValueIndex convert_log_softmax(Match& m) {
  const GraphNode* softmax = m.made_by(m.in(0), "Softmax");
  if (!softmax || !m.only_user(m.in(0)) || !m.may(RewriteKind::reassociating)) return kNo;
  return m.add("LogSoftmax", {m.input(*softmax, 0)}, softmax->attrs);
}
// Not of an order would be true of NaN: only equality turns round.
ValueIndex remove_logical_not(Match& m) {
  if (const GraphNode* equal = m.made_by(m.in(0), "Equal"))
    return m.add("NotEqual", {m.input(*equal, 0), m.input(*equal, 1)});
  if (const GraphNode* differ = m.made_by(m.in(0), "NotEqual"))
    return m.add("Equal", {m.input(*differ, 0), m.input(*differ, 1)});
  return kNo;
}
ValueIndex select_same(Match& m) {
  return m.in(1) == m.in(2) && &m.in_type(1) == &m.out_type() ? m.in(1) : kNo;
}
ValueIndex select_known(Match& m) {
  const std::optional<double> condition = m.uniform(m.in(0));
  if (!condition) return kNo;
  const std::size_t chosen = *condition != 0 ? 1 : 2;
  return &m.in_type(chosen) == &m.out_type() ? m.in(chosen) : kNo;
}

// The largest of f(x) is f of the largest where f never falls. Zeros of two signs may change places, and a
// NaN that f alone makes may vanish.
ValueIndex extreme_of_monotonic(Match& m) {
  for (const std::string_view f :
       {"Relu", "Relu6", "Floor", "Ceil", "Round", "Exp", "Tanh", "Sigmoid", "Sqrt", "Log"}) {
    const GraphNode* inner = m.made_by(m.in(0), f);
    if (!inner || !m.only_user(m.in(0))) continue;
    const bool hides = f == "Sqrt" || f == "Log";
    if (!m.may(hides ? RewriteKind::nan_discarding : RewriteKind::reassociating)) return kNo;
    const ValueIndex x = m.input(*inner, 0);
    return m.add(f, {m.add(m.op().name, {x}, m.attrs())});
  }
  return kNo;
}

constexpr ArithmeticRule kFunctionRules[] = {
    {"remove_involution", "Neg", remove_involution},
    {"remove_involution", "LogicalNot", remove_involution},
    {"remove_involution", "Reciprocal", remove_reciprocal_twice},
    {"remove_idempotent", "Abs", remove_idempotent},
    {"remove_idempotent", "Relu", remove_idempotent},
    {"remove_idempotent", "Relu6", remove_idempotent},
    {"remove_idempotent", "Sign", remove_idempotent},
    {"remove_idempotent", "Floor", remove_idempotent},
    {"remove_idempotent", "Ceil", remove_idempotent},
    {"remove_idempotent", "Round", remove_idempotent},
    {"convert_log1p", "Log", convert_log1p},
    {"convert_expm1", "Sub", convert_expm1},
    {"convert_log_softmax", "Log", convert_log_softmax},
    {"remove_logical_not", "LogicalNot", remove_logical_not},
    {"remove_select", "SelectV2", select_same},
    {"remove_select", "SelectV2", select_known},
    {"optimize_max_or_min_of_monotonic", "Max", extreme_of_monotonic},
    {"optimize_max_or_min_of_monotonic", "Min", extreme_of_monotonic},
};

}  // namespace

std::span<const ArithmeticRule> function_rules() { return kFunctionRules; }

}  // namespace tapescope
