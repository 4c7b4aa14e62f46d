// Elementwise loops: every unary and binary function over arrays, with broadcasting, for every dtype.
//
// Each loop exists twice, for the baseline instruction set and for AVX2 with F16C, chosen once per process;
// both give the same bits. Half types convert to float32, compute and convert back. Large arrays are
// divided among the threads of the pool, which never changes a result.
#pragma once
#include <cstdint>
#include <type_traits>

#include "engine/core/type.h"
#include "engine/kernels/binary_functions.inl"
#include "engine/kernels/unary_functions.inl"

namespace tapescope::kernels {

// Codes of the functions. Each row of the two tables becomes one, in their order.
#define TAPESCOPE_CODE(code, Function, Elements, flops, work) code,
enum class UnaryOp : std::uint8_t { TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_CODE) count_ };
enum class BinaryOp : std::uint8_t { TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_CODE) count_ };
#undef TAPESCOPE_CODE

// Element types that a function is defined for. Integers are computed as unsigned where they wrap.
enum class Elements : std::uint8_t {
  real,      // float16, bfloat16, float32 and float64
  numeric,   // int32 and int64 too
  wrapping,  // likewise
  test,      // real, to bool
  truth,     // bool, to bool
  compare,   // numeric, to bool
  equality,  // numeric and bool, to bool
  logic,     // bool, to bool
};
// What the time of an element goes to: reading and writing it, a polynomial in vectors, a call of a library.
enum class Work : std::uint8_t { memory, polynomial, library };

struct FunctionRow {
  Elements elements;
  double flops;  // floating-point operations of an element
  Work work;
};
#define TAPESCOPE_ROW(code, Function, elements, flops, work) {Elements::elements, flops, Work::work},
inline constexpr FunctionRow kUnaryFunctions[] = {TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_ROW)};
inline constexpr FunctionRow kBinaryFunctions[] = {TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_ROW)};
#undef TAPESCOPE_ROW
constexpr const FunctionRow& row_of(UnaryOp op) { return kUnaryFunctions[static_cast<int>(op)]; }
constexpr const FunctionRow& row_of(BinaryOp op) { return kBinaryFunctions[static_cast<int>(op)]; }

// What the second operand of a binary loop is: an array beside the first, or one element.
enum class Mode : std::uint8_t { vector_vector, scalar_vector, vector_scalar, count_ };

// `param` is a number that some functions take, such as the slope of leaky_relu.
using UnaryLoop = void (*)(const void* x, void* y, std::int64_t n, double param);
using BinaryLoop = void (*)(const void* a, const void* b, void* y, std::int64_t n, double param);

template <class Op>
constexpr bool gives_bool(Op op) {
  return row_of(op).elements >= Elements::test;
}

// The single-threaded loop over contiguous elements, null where the dtype has none (half types included: they
// go through map_unary). For tile interpreters and other kernels.
UnaryLoop unary_loop(UnaryOp op, DType type);
BinaryLoop binary_loop(BinaryOp op, DType type, Mode mode);

// Dtypes a function is defined for, one bit each.
inline constexpr unsigned kReal = 0b1111, kNumeric = 0b111111, kBool = 0b1000000;
template <class Op>
constexpr unsigned dtypes(Op op) {
  switch (row_of(op).elements) {
    case Elements::real:
    case Elements::test: return kReal;
    case Elements::numeric:
    case Elements::wrapping:
    case Elements::compare: return kNumeric;
    case Elements::equality: return kNumeric | kBool;
    case Elements::truth:
    case Elements::logic: return kBool;
  }
  return 0;
}
template <class Op>
constexpr bool supports(Op op, DType type) {
  return dtypes(op) >> static_cast<int>(type) & 1;
}
// Rough nanoseconds of an element, for dividing work among threads.
template <class Op>
constexpr double nanoseconds(Op op, DType type) {
  switch (row_of(op).work) {
    case Work::memory: return std::is_same_v<Op, BinaryOp> ? 0.3 : 0.25;
    case Work::polynomial: return type == DType::f64 ? 10 : 1;
    case Work::library: return 10;
  }
  return 0;
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

// What loops are compiled for. Each gives the same bits.
enum class Instructions : std::uint8_t { baseline, avx2, avx512 };
inline constexpr Instructions kInstructions[] = {Instructions::baseline, Instructions::avx2,
                                                 Instructions::avx512};
// Those in use: the most that the processor has and TAPESCOPE_VECTOR_BITS allows.
Instructions instructions();
// For tests: no more than these.
void limit_instructions(Instructions most);
inline bool uses_avx2() { return instructions() >= Instructions::avx2; }
// Bits of the widest vectors of instructions(), 256 where there are none of AVX2.
int widest_vector_bits();

}  // namespace tapescope::kernels
