// Elementwise loops: every unary and binary function over arrays, with broadcasting, for every dtype.
//
// Each loop exists twice, for the baseline instruction set and for AVX2 with F16C, chosen once per process;
// both give the same bits. Half types convert to float32, compute and convert back. Large arrays are
// divided among the threads of the pool, which never changes a result.
#pragma once
#include <cstdint>

#include "engine/core/type.h"

namespace tapescope::kernels {

enum class UnaryOp : std::uint8_t {
  neg,
  abs,
  sign,
  square,
  sqrt,
  rsqrt,
  reciprocal,
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  tanh,
  sigmoid,
  relu,
  relu6,
  leaky_relu,
  elu,
  selu,
  softplus,
  softsign,
  silu,
  erf,
  erfc,
  lgamma,
  digamma,
  floor,
  ceil,
  round,
  is_nan,
  is_inf,
  is_finite,
  logical_not,  // boolean outputs
  count_,
};

enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  div_no_nan,
  floor_div,
  floor_mod,
  pow,
  maximum,
  minimum,
  squared_difference,
  atan2,
  xlogy,
  xdivy,
  xlog1py,
  polygamma,
  // f(y or x, g): see ops/elementwise.h for the order of the operands.
  sqrt_grad,
  rsqrt_grad,
  reciprocal_grad,
  tanh_grad,
  sigmoid_grad,
  relu_grad,
  relu6_grad,
  leaky_relu_grad,
  elu_grad,
  selu_grad,
  softplus_grad,
  softsign_grad,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,  // boolean outputs
  count_,
};

// What the second operand of a binary loop is: an array beside the first, or one element.
enum class Mode : std::uint8_t { vector_vector, scalar_vector, vector_scalar, count_ };

// `param` is a number that some functions take, such as the slope of leaky_relu.
using UnaryLoop = void (*)(const void* x, void* y, std::int64_t n, double param);
using BinaryLoop = void (*)(const void* a, const void* b, void* y, std::int64_t n, double param);

constexpr bool gives_bool(UnaryOp op) { return op >= UnaryOp::is_nan; }
constexpr bool gives_bool(BinaryOp op) { return op >= BinaryOp::less; }

// The single-threaded loop over contiguous elements, null where the dtype has none (half types included: they
// go through map_unary). For tile interpreters and other kernels.
UnaryLoop unary_loop(UnaryOp op, DType type);
BinaryLoop binary_loop(BinaryOp op, DType type, Mode mode);

// Dtypes a function is defined for, one bit each.
inline constexpr unsigned kReal = 0b1111, kNumeric = 0b111111, kBool = 0b1000000;
constexpr unsigned dtypes(UnaryOp op) {
  switch (op) {
    case UnaryOp::neg:
    case UnaryOp::abs:
    case UnaryOp::sign:
    case UnaryOp::square:
    case UnaryOp::relu:
    case UnaryOp::relu6: return kNumeric;
    case UnaryOp::logical_not: return kBool;
    default: return kReal;
  }
}
constexpr unsigned dtypes(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul:
    case BinaryOp::maximum:
    case BinaryOp::minimum:
    case BinaryOp::squared_difference:
    case BinaryOp::floor_div:
    case BinaryOp::floor_mod:
    case BinaryOp::pow:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal: return kNumeric;
    case BinaryOp::equal:
    case BinaryOp::not_equal: return kNumeric | kBool;
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return kBool;
    default: return kReal;
  }
}
template <class Op>
constexpr bool supports(Op op, DType type) {
  return dtypes(op) >> static_cast<int>(type) & 1;
}

// y = f(x), n elements.
void map_unary(UnaryOp op, DType type, const void* x, void* y, std::int64_t n, double param = 0);
// y = f(a, b) for operands of one type.
void map_binary(BinaryOp op, DType type, const void* a, const void* b, void* y, std::int64_t n,
                double param = 0);
// y = f(a, b) with both broadcast to `out`.
void map_broadcast(BinaryOp op, DType type, const void* a, const Shape& a_shape, const void* b,
                   const Shape& b_shape, void* y, const Shape& out, double param = 0);
// y = condition ? a : b, all broadcast to `out`; the elements are moved, never computed with.
void map_select(const std::uint8_t* condition, const Shape& condition_shape, const void* a,
                const Shape& a_shape, const void* b, const Shape& b_shape, void* y, const Shape& out,
                int element_size);
// y += x for n elements: the accumulation of cotangents and of AddN. Half types round after each addition.
void accumulate(DType type, void* y, const void* x, std::int64_t n);

// y[i] = to(x[i]). Floats to integers truncate and saturate; to bool it is x != 0.
void convert(DType from, const void* x, DType to, void* y, std::int64_t n);

// For tests: the baseline loops although the machine has AVX2.
void force_baseline(bool on);
// Whether the loops in use are those for AVX2.
bool uses_avx2();

}  // namespace tapescope::kernels
