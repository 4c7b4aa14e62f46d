// Rows and functions of comparisons, logic and tests: boolean outputs without a gradient.
#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

constinit const OpDef kLess = binary<BinaryOp::less>({.name = "Less", .doc = "a < b"});
constinit const OpDef kLessEqual = binary<BinaryOp::less_equal>({.name = "LessEqual", .doc = "a <= b"});
constinit const OpDef kGreater = binary<BinaryOp::greater>({.name = "Greater", .doc = "a > b"});
constinit const OpDef kGreaterEqual =
    binary<BinaryOp::greater_equal>({.name = "GreaterEqual", .doc = "a >= b"});
constinit const OpDef kEqual = binary<BinaryOp::equal>(
    {.name = "Equal", .flags = OpDef::kCommutative, .doc = "a == b; NaN equals nothing"});
constinit const OpDef kNotEqual =
    binary<BinaryOp::not_equal>({.name = "NotEqual", .flags = OpDef::kCommutative, .doc = "a != b"});
constinit const OpDef kAnd =
    binary<BinaryOp::logical_and>({.name = "LogicalAnd", .flags = OpDef::kCommutative, .doc = "a and b"});
constinit const OpDef kOr =
    binary<BinaryOp::logical_or>({.name = "LogicalOr", .flags = OpDef::kCommutative, .doc = "a or b"});
constinit const OpDef kNot = unary<UnaryOp::logical_not>({.name = "LogicalNot", .doc = "not a"});
constinit const OpDef kIsNan = unary<UnaryOp::is_nan>({.name = "IsNan", .doc = "whether x is NaN"});
constinit const OpDef kIsInf = unary<UnaryOp::is_inf>({.name = "IsInf", .doc = "whether x is infinite"});
constinit const OpDef kIsFinite =
    unary<UnaryOp::is_finite>({.name = "IsFinite", .doc = "whether x is neither infinite nor NaN"});

constexpr const OpDef* kElementwiseCompareRows[] = {&kLess,  &kLessEqual, &kGreater, &kGreaterEqual,
                                                    &kEqual, &kNotEqual,  &kAnd,     &kOr,
                                                    &kNot,   &kIsNan,     &kIsInf,   &kIsFinite};

}  // namespace

std::span<const OpDef* const> rows::comparison_rows() { return kElementwiseCompareRows; }

Tensor less(const Arg& a, const Arg& b) { return apply(kLess, a, b); }
Tensor less_equal(const Arg& a, const Arg& b) { return apply(kLessEqual, a, b); }
Tensor greater(const Arg& a, const Arg& b) { return apply(kGreater, a, b); }
Tensor greater_equal(const Arg& a, const Arg& b) { return apply(kGreaterEqual, a, b); }
Tensor equal(const Arg& a, const Arg& b) { return apply(kEqual, a, b); }
Tensor not_equal(const Arg& a, const Arg& b) { return apply(kNotEqual, a, b); }
Tensor logical_and(const Arg& a, const Arg& b) { return apply(kAnd, a, b); }
Tensor logical_or(const Arg& a, const Arg& b) { return apply(kOr, a, b); }
Tensor logical_xor(const Arg& a, const Arg& b) {
  const Location& at = a.location();
  return logical_and({logical_or(a, b), at}, {logical_not({logical_and(a, b), at}), at});
}
Tensor logical_not(const Arg& a) { return apply(kNot, a); }

BoolTensor::operator bool() const {
  if (is_symbol(*this)) {
    fail(ErrorKind::attribute, "if",
         "the comparison is symbolic while its function is traced, so an `if` cannot ask for it; "
         "use cond(a > b, ...), or where(a > b, ...) for elements",
         &location_);
  }
  check_has_elements(*this, "if", location_);
  if (numel() != 1) {
    fail(ErrorKind::value, "if",
         fmt::format("the comparison has {} elements ({}), so that an `if` cannot ask for one value; "
                     "use reduce_all(a > b) or reduce_any(a > b), or where(a > b, ...) for elements",
                     numel(), type().text()),
         &location_);
  }
  note_host_read(*this, location_);
  return element_value(*this, 0) != 0;
}

Tensor is_nan(const Arg& x) { return apply(kIsNan, x); }
Tensor is_inf(const Arg& x) { return apply(kIsInf, x); }
Tensor is_finite(const Arg& x) { return apply(kIsFinite, x); }

}  // namespace tapescope
