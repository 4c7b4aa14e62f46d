// Rows and functions of two arguments that compute numbers.
#include <algorithm>

#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

// Cotangents are left in the broadcast shape: the engine sums them back. Orders of arithmetic are
// TensorFlow's.
void add_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(1)) c.set(1, c.grad());
}
void sub_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(1)) c.set(1, -c.grad());
}
void mul_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad() * c.in(1));
  if (c.needs(1)) c.set(1, c.in(0) * c.grad());
}
void div_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad() / c.in(1));
  if (c.needs(1)) c.set(1, c.grad() * ((-c.in(0) / c.in(1)) / c.in(1)));
}
void div_no_nan_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &y = c.in(1);
  if (c.needs(0)) c.set(0, divide_no_nan(c.grad(), y));
  if (c.needs(1)) c.set(1, c.grad() * divide_no_nan(divide_no_nan(-x, y), y));
}
void floor_mod_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(1)) c.set(1, c.grad() * -floordiv(c.in(0), c.in(1)));
}
void pow_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &y = c.in(1);
  if (c.needs(0)) c.set(0, c.grad() * y * pow(x, y - 1));
  if (c.needs(1)) {
    // The logarithm is replaced by 0 where the base is not positive.
    const Tensor positive = x > 0;
    const Tensor logarithm = where(positive, log(where(positive, x, 1)), 0);
    c.set(1, c.grad() * c.out() * logarithm);
  }
}
void share(VjpContext& c, const Tensor& first) {
  if (c.needs(0)) c.set(0, where(first, c.grad(), 0));
  if (c.needs(1)) c.set(1, where(first, 0, c.grad()));
}
void maximum_vjp(VjpContext& c) { share(c, c.in(0) >= c.in(1)); }
void minimum_vjp(VjpContext& c) { share(c, c.in(0) <= c.in(1)); }
void squared_difference_vjp(VjpContext& c) {
  const Tensor part = 2 * c.grad() * (c.in(0) - c.in(1));
  if (c.needs(0)) c.set(0, part);
  if (c.needs(1)) c.set(1, -part);
}
void atan2_vjp(VjpContext& c) {
  const Tensor part = c.grad() / (square(c.in(0)) + square(c.in(1)));
  if (c.needs(0)) c.set(0, c.in(1) * part);
  if (c.needs(1)) c.set(1, -c.in(0) * part);
}
Tensor not_zero(const Tensor& x) { return cast(not_equal(x, 0), x.dtype()); }
void xlogy_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &y = c.in(1);
  if (c.needs(0)) c.set(0, c.grad() * xlogy(not_zero(x), y));
  if (c.needs(1)) c.set(1, c.grad() * xdivy(x, y));
}
void xdivy_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &y = c.in(1);
  if (c.needs(0)) c.set(0, c.grad() * xdivy(not_zero(x), y));
  if (c.needs(1)) c.set(1, c.grad() * xdivy(-x, square(y)));
}
void xlog1py_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &y = c.in(1);
  if (c.needs(0)) c.set(0, c.grad() * xlog1py(not_zero(x), y));
  if (c.needs(1)) c.set(1, c.grad() * xdivy(x, y + 1));
}
void polygamma_vjp(VjpContext& c) { c.set(1, c.grad() * polygamma(c.in(0) + 1, c.in(1))); }

// Integers have no infinity and no fraction: what would be one is refused.
template <class T>
bool has_zero(const T* b, std::int64_t n) {
  return std::find(b, b + n, T(0)) != b + n;
}
template <BinaryOp kOp>
void integer_division_kernel(KernelContext& c) {
  const Type& b = c.in_type(1);
  if ((b.dtype == DType::i32 && has_zero(c.in<std::int32_t>(1), b.numel)) ||
      (b.dtype == DType::i64 && has_zero(c.in<std::int64_t>(1), b.numel))) {
    fail(ErrorKind::invalid_argument, kOp == BinaryOp::floor_div ? "FloorDiv" : "FloorMod",
         "integer division by zero, expected no zero in the divisor; use divide_no_nan on floats or test the "
         "divisor first");
  }
  binary_kernel<kOp>(c);
}
template <class T>
bool has_negative(const T* b, std::int64_t n) {
  return std::any_of(b, b + n, [](T v) { return v < 0; });
}
void pow_kernel(KernelContext& c) {
  const Type& b = c.in_type(1);
  if ((b.dtype == DType::i32 && has_negative(c.in<std::int32_t>(1), b.numel)) ||
      (b.dtype == DType::i64 && has_negative(c.in<std::int64_t>(1), b.numel))) {
    fail(ErrorKind::invalid_argument, "Pow",
         "integers to negative integer powers are not allowed; cast to a floating dtype first");
  }
  binary_kernel<BinaryOp::pow>(c);
}
constexpr OpDef with_kernel(OpDef row, void (*kernel)(KernelContext&)) {
  row.kernel = kernel;
  return row;
}

// Its first operand is a whole number, which no sampler gives.
constexpr OpDef unsampled(OpDef row) {
  row.sampler = {};
  return row;
}

constexpr std::uint32_t kBoth = kIn0 | kIn1;
constexpr OpSampler kPositive{0.3, 2};

constinit const OpDef kAdd = binary<BinaryOp::add>(
    {.name = "AddV2", .vjp = add_vjp, .flags = OpDef::kCommutative, .doc = "a + b; gradients g and g"});
constinit const OpDef kSub =
    binary<BinaryOp::sub>({.name = "Sub", .vjp = sub_vjp, .doc = "a - b; gradients g and -g"});
constinit const OpDef kMul = binary<BinaryOp::mul>({.name = "Mul",
                                                    .saves = kBoth,
                                                    .vjp = mul_vjp,
                                                    .flags = OpDef::kCommutative,
                                                    .doc = "a b; gradients g b and a g"});
constinit const OpDef kDiv = binary<BinaryOp::div>({.name = "RealDiv",
                                                    .saves = kBoth,
                                                    .vjp = div_vjp,
                                                    .doc = "a / b; gradients g / b and g ((-a / b) / b)",
                                                    .sampler = kPositive});
constinit const OpDef kDivNoNan =
    binary<BinaryOp::div_no_nan>({.name = "DivNoNan",
                                  .saves = kBoth,
                                  .vjp = div_no_nan_vjp,
                                  .doc = "a / b, 0 where b is 0, in the gradients too",
                                  .sampler = kPositive});
constinit const OpDef kFloorDiv =
    with_kernel(binary<BinaryOp::floor_div>({.name = "FloorDiv", .doc = "floor(a / b); no gradient"}),
                integer_division_kernel<BinaryOp::floor_div>);
constinit const OpDef kFloorMod =
    with_kernel(binary<BinaryOp::floor_mod>({.name = "FloorMod",
                                             .saves = kBoth,
                                             .vjp = floor_mod_vjp,
                                             .doc = "a - floor(a / b) b; gradients g and -floor(a / b) g",
                                             .sampler = kPositive}),
                integer_division_kernel<BinaryOp::floor_mod>);
constinit const OpDef kPow = with_kernel(
    binary<BinaryOp::pow>({.name = "Pow",
                           .saves = kBoth | kOut,
                           .vjp = pow_vjp,
                           .doc = "a^b; gradients g b a^(b-1) and g y log a, the latter 0 where a <= 0",
                           .sampler = kPositive}),
    pow_kernel);
constinit const OpDef kMaximum =
    binary<BinaryOp::maximum>({.name = "Maximum",
                               .saves = kBoth,
                               .vjp = maximum_vjp,
                               .flags = OpDef::kCommutative,
                               .doc = "the larger; a tie's gradient goes to a, that of a NaN in a to b"});
constinit const OpDef kMinimum =
    binary<BinaryOp::minimum>({.name = "Minimum",
                               .saves = kBoth,
                               .vjp = minimum_vjp,
                               .flags = OpDef::kCommutative,
                               .doc = "the smaller; a tie's gradient goes to a, that of a NaN in a to b"});
constinit const OpDef kSquaredDifference =
    binary<BinaryOp::squared_difference>({.name = "SquaredDifference",
                                          .saves = kBoth,
                                          .vjp = squared_difference_vjp,
                                          .doc = "(a - b)^2; gradients (2 g) (a - b) and its negative"});
constinit const OpDef kAtan2 = binary<BinaryOp::atan2>(
    {.name = "Atan2",
     .saves = kBoth,
     .vjp = atan2_vjp,
     .doc = "angle of the point (x, y); gradients g x / (x^2 + y^2) and -g y / (x^2 + y^2)",
     .sampler = kPositive});
constinit const OpDef kXlogy =
    binary<BinaryOp::xlogy>({.name = "Xlogy",
                             .saves = kBoth,
                             .vjp = xlogy_vjp,
                             .doc = "x log y, 0 where x is 0, in both gradients too",
                             .sampler = kPositive});
constinit const OpDef kXdivy = binary<BinaryOp::xdivy>({.name = "Xdivy",
                                                        .saves = kBoth,
                                                        .vjp = xdivy_vjp,
                                                        .doc = "x / y, 0 where x is 0, in both gradients too",
                                                        .sampler = kPositive});
constinit const OpDef kXlog1py =
    binary<BinaryOp::xlog1py>({.name = "Xlog1py",
                               .saves = kBoth,
                               .vjp = xlog1py_vjp,
                               .doc = "x log(1 + y), 0 where x is 0, in both gradients too",
                               .sampler = kPositive});
constinit const OpDef kPolygamma =
    unsampled(binary<BinaryOp::polygamma>({.name = "Polygamma",
                                           .saves = kBoth,
                                           .vjp = polygamma_vjp,
                                           .never = OpDef::in_bit(0),
                                           .doc = "n-th derivative of digamma at x; n gets no gradient"}));

constexpr const OpDef* kElementwiseBinaryRows[] = {
    &kAdd,      &kSub,   &kMul,     &kDiv,      &kDivNoNan,          &kFloorDiv,
    &kFloorMod, &kPow,   &kMaximum, &kMinimum,  &kSquaredDifference, &kAtan2,
    &kXlogy,    &kXdivy, &kXlog1py, &kPolygamma};

}  // namespace

std::span<const OpDef* const> rows::binary_rows() { return kElementwiseBinaryRows; }

Tensor add(const Arg& a, const Arg& b) { return apply(kAdd, a, b); }
Tensor subtract(const Arg& a, const Arg& b) { return apply(kSub, a, b); }
Tensor multiply(const Arg& a, const Arg& b) { return apply(kMul, a, b); }
// The operand of a division of whole numbers in float64; a number is checked against the dtype it meets.
static Tensor widened(const Arg& x, DType met) {
  if (!x.is_number()) return cast(x, DType::f64);
  tapescope_inside::check_fits(x.number(), met, "RealDiv", x.location());
  return x.tensor(DType::f64);
}

Tensor divide(const Arg& a, const Arg& b) {
  const DType dtype = !a.is_number()   ? a.tensor().dtype()
                      : !b.is_number() ? b.tensor().dtype()
                                       : tapescope_inside::common_dtype(a.number(), b.number());
  if (is_floating(dtype)) return apply(kDiv, a, b);
  return apply(kDiv, {widened(a, dtype), a.location()}, {widened(b, dtype), b.location()});
}
Tensor divide_no_nan(const Arg& a, const Arg& b) { return apply(kDivNoNan, a, b); }
Tensor floordiv(const Arg& a, const Arg& b) { return apply(kFloorDiv, a, b); }
Tensor floormod(const Arg& a, const Arg& b) { return apply(kFloorMod, a, b); }
Tensor pow(const Arg& a, const Arg& b) { return apply(kPow, a, b); }
Tensor maximum(const Arg& a, const Arg& b) { return apply(kMaximum, a, b); }
Tensor minimum(const Arg& a, const Arg& b) { return apply(kMinimum, a, b); }
Tensor squared_difference(const Arg& a, const Arg& b) { return apply(kSquaredDifference, a, b); }
Tensor atan2(const Arg& y, const Arg& x) { return apply(kAtan2, y, x); }
Tensor xlogy(const Arg& x, const Arg& y) { return apply(kXlogy, x, y); }
Tensor xdivy(const Arg& x, const Arg& y) { return apply(kXdivy, x, y); }
Tensor xlog1py(const Arg& x, const Arg& y) { return apply(kXlog1py, x, y); }
Tensor polygamma(const Arg& n, const Arg& x) { return apply(kPolygamma, n, x); }

Tensor clip_by_value(const Arg& x, const Arg& low, const Arg& high) {
  return maximum({minimum(x, high), x.location()}, low);
}

}  // namespace tapescope
