// Rules of sums, products, quotients and powers.
#include <cmath>

#include "engine/graph/passes/arithmetic.h"

namespace tapescope {
namespace {

// The operand that is left when the other is the neutral element and does not widen it.
ValueIndex other_operand(Match& m, double neutral) {
  for (const std::size_t i : {0, 1}) {
    if (m.is_uniform(m.in(i), neutral) && &m.in_type(1 - i) == &m.out_type()) return m.in(1 - i);
  }
  return kNo;
}

// ---- sums

// x + 0: -0 + 0 is 0, so that one bit may change. Adding -0 changes none.
ValueIndex add_zero(Match& m) {
  for (const std::size_t i : {0, 1}) {
    if (!m.is_uniform(m.in(i), 0) || &m.in_type(1 - i) != &m.out_type()) continue;
    const Tensor* zero = m.constant(m.in(i));
    const bool negative = zero && m.floating() && zero->numel() == 1 && std::signbit(element_value(*zero, 0));
    if (negative || m.may_reassociate()) return m.in(1 - i);
  }
  return kNo;
}
ValueIndex subtract_zero(Match& m) {
  if (!m.is_uniform(m.in(1), 0) || &m.in_type(0) != &m.out_type()) return kNo;
  const Tensor* zero = m.constant(m.in(1));
  const bool positive = !zero || (zero->numel() == 1 && !std::signbit(element_value(*zero, 0)));
  return positive || m.may_reassociate() ? m.in(0) : kNo;
}
ValueIndex subtract_from_zero(Match& m) {
  if (!m.is_uniform(m.in(0), 0) || &m.in_type(1) != &m.out_type() || !m.may_reassociate()) return kNo;
  return m.add("Neg", {m.in(1)});
}
// a + (-b), (-a) + b
ValueIndex add_negated(Match& m) {
  if (const GraphNode* neg = m.made_by(m.in(1), "Neg")) return m.add("Sub", {m.in(0), m.input(*neg, 0)});
  if (const GraphNode* neg = m.made_by(m.in(0), "Neg")) return m.add("Sub", {m.in(1), m.input(*neg, 0)});
  return kNo;
}
ValueIndex subtract_negated(Match& m) {
  const GraphNode* neg = m.made_by(m.in(1), "Neg");
  return neg ? m.add("AddV2", {m.in(0), m.input(*neg, 0)}) : kNo;
}
// c1 + (c2 + x), in any order of the operands: the constants are added now.
ValueIndex gather_constants(Match& m) {
  const std::string_view op = m.op().name;
  for (const std::size_t i : {0, 1}) {
    const std::size_t j = 1 - i;
    if (!m.constant(m.in(i)) || m.in_type(i).numel != 1) continue;
    const GraphNode* inner = m.made_by(m.in(j), op);
    if (!inner || !m.only_user(m.in(j))) continue;
    for (const std::size_t k : {0, 1}) {
      const ValueIndex c = m.input(*inner, k), x = m.input(*inner, 1 - k);
      if (!m.constant(c) || m.type(c).numel != 1 || m.constant(x) || &m.type(x) != &m.out_type()) continue;
      if (!m.may_reassociate()) return kNo;
      return m.add(op, {x, m.add(op, {c, m.in(i)})});
    }
  }
  return kNo;
}
// (x op small1) op small2: what is small meets first.
ValueIndex minimize_broadcasts(Match& m) {
  const std::string_view op = m.op().name;
  const std::int64_t whole = m.out_type().numel;
  for (const std::size_t i : {0, 1}) {
    const std::size_t j = 1 - i;
    if (m.in_type(i).numel >= whole || m.constant(m.in(i))) continue;
    const GraphNode* inner = m.made_by(m.in(j), op);
    if (!inner || !m.only_user(m.in(j))) continue;
    for (const std::size_t k : {0, 1}) {
      const ValueIndex small = m.input(*inner, k), x = m.input(*inner, 1 - k);
      // One of them a scalar: their meeting is as small as the other.
      if (m.type(small).numel >= whole || &m.type(x) != &m.out_type() ||
          (m.type(small).numel != 1 && m.in_type(i).numel != 1))
        continue;
      if (!m.may_reassociate()) return kNo;
      return m.add(op, {x, m.add(op, {small, m.in(i)})});
    }
  }
  return kNo;
}
// AddN of one value n times.
ValueIndex simplify_aggregation(Match& m) {
  for (std::size_t i = 1; i < m.input_count(); ++i) {
    if (m.in(i) != m.in(0)) return kNo;
  }
  if (m.input_count() == 1) return m.in(0);
  // x + x is 2 x to the bit.
  if (m.input_count() > 2 && !m.may_reassociate()) return kNo;
  return m.add("Mul", {m.constant_like(m.in(0), static_cast<double>(m.input_count())), m.in(0)});
}

// ---- products and quotients

ValueIndex multiply_one(Match& m) { return other_operand(m, 1); }
// Not where x may be NaN or infinite, unless that is allowed to vanish.
ValueIndex multiply_zero(Match& m) {
  if (!m.is_uniform(m.in(0), 0) && !m.is_uniform(m.in(1), 0)) return kNo;
  if (m.floating() && !m.may(RewriteKind::nan_discarding)) return kNo;
  const std::size_t i = &m.in_type(0) == &m.out_type() ? 0 : 1;
  return &m.in_type(i) == &m.out_type() ? m.add("ZerosLike", {m.in(i)}) : kNo;
}
ValueIndex multiply_itself(Match& m) { return m.in(0) == m.in(1) ? m.add("Square", {m.in(0)}) : kNo; }
ValueIndex divide_by_one(Match& m) {
  return m.is_uniform(m.in(1), 1) && &m.in_type(0) == &m.out_type() ? m.in(0) : kNo;
}
ValueIndex divide_one(Match& m) {
  if (!m.is_uniform(m.in(0), 1) || &m.in_type(1) != &m.out_type()) return kNo;
  return m.add("Reciprocal", {m.in(1)});
}
// x / c is x (1 / c) with another last bit, unless c is a power of two whose inverse is one too.
ValueIndex divide_by_constant(Match& m) {
  const std::optional<double> c = m.uniform(m.in(1));
  if (!c || *c == 0 || !std::isfinite(*c) || m.constant(m.in(0))) return kNo;
  if (m.in_type(1).numel != 1 || is_half(m.out_type().dtype)) return kNo;
  int exponent = 0;
  const bool exact = std::abs(std::frexp(*c, &exponent)) == 0.5 && std::abs(exponent) < 100;
  if (!exact && !m.may(RewriteKind::reassociating)) return kNo;
  const double inverse =
      m.out_type().dtype == DType::f32 ? static_cast<double>(1 / static_cast<float>(*c)) : 1 / *c;
  if (!std::isnormal(inverse)) return kNo;
  return m.add("Mul", {m.in(0), m.reshaped(m.constant_like(m.in(1), inverse), m.in_type(1).shape)});
}
ValueIndex divide_by_root(Match& m) {
  const GraphNode* root = m.made_by(m.in(1), "Sqrt");
  if (!root || !m.only_user(m.in(1)) || !m.may(RewriteKind::reassociating)) return kNo;
  return m.add("Mul", {m.in(0), m.add("Rsqrt", {m.input(*root, 0)})});
}
ValueIndex product_with_zeros(Match& m) {
  const auto zeros = [&](std::size_t i) { return m.is_uniform(m.in(i), 0); };
  if ((!zeros(0) && !zeros(1)) || (m.floating() && !m.may(RewriteKind::nan_discarding))) return kNo;
  Attrs attrs;
  for (const std::int64_t size : m.out_type().shape.dims()) attrs.push(size);
  return m.add("Fill", {m.constant_like(m.in(0), 0)}, attrs);
}

// ---- powers and squares

ValueIndex convert_pow(Match& m) {
  const std::optional<double> e = m.uniform(m.in(1));
  const ValueIndex x = m.in(0);
  if (!e || &m.in_type(0) != &m.out_type()) return kNo;
  if (*e == 1) return x;
  if (*e == 2) return m.add("Square", {x});
  if (*e == 0) return m.add("OnesLike", {x});  // of NaN too
  if (*e != 3 && *e != 0.5 && *e != -0.5 && *e != -1) return kNo;
  if (!m.may_reassociate()) return kNo;
  if (*e == 3) return m.add("Mul", {m.add("Square", {x}), x});
  return m.add(*e == 0.5 ? "Sqrt" : *e == -0.5 ? "Rsqrt" : "Reciprocal", {x});
}
ValueIndex fuse_squared_difference(Match& m) {
  const GraphNode* difference = m.made_by(m.in(0), "Sub");
  if (!difference || !m.only_user(m.in(0))) return kNo;
  // Half types round the difference, the fused op does not.
  if (is_half(m.out_type().dtype) && !m.may(RewriteKind::reassociating)) return kNo;
  return m.add("SquaredDifference", {m.input(*difference, 0), m.input(*difference, 1)});
}

constexpr ArithmeticRule kAlgebraRules[] = {
    {"remove_neutral", "AddV2", add_zero},
    {"remove_neutral", "Sub", subtract_zero},
    {"remove_neutral", "Mul", multiply_one},
    {"remove_neutral", "RealDiv", divide_by_one},
    {"subtract_from_zero", "Sub", subtract_from_zero},
    {"remove_negation", "AddV2", add_negated},
    {"remove_negation", "Sub", subtract_negated},
    {"constant_push_down", "AddV2", gather_constants},
    {"constant_push_down", "Mul", gather_constants},
    {"minimize_broadcasts", "AddV2", minimize_broadcasts},
    {"minimize_broadcasts", "Mul", minimize_broadcasts},
    {"simplify_aggregation", "AddN", simplify_aggregation},
    {"multiply_by_zero", "Mul", multiply_zero},
    {"multiply_by_zero", "MatMul", product_with_zeros},
    {"replace_mul_with_square", "Mul", multiply_itself},
    {"convert_reciprocal", "RealDiv", divide_one},
    {"convert_sqrt_div_to_rsqrt_mul", "RealDiv", divide_by_root},
    {"divide_by_constant", "RealDiv", divide_by_constant},
    {"convert_pow", "Pow", convert_pow},
    {"fuse_squared_diff", "Square", fuse_squared_difference},
};

}  // namespace

std::span<const ArithmeticRule> algebra_rules() { return kAlgebraRules; }

}  // namespace tapescope
