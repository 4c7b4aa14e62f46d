// Rows of softmax, which the softmax ops and the cross entropies share.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/kernels/map.h"
#include "engine/ops/dispatch.h"

namespace tapescope {

// e^x in place for all rows at once: rows are often too short for the vectorized loop.
template <class W>
void exp_all(W* row, std::int64_t n) {
  if constexpr (std::is_same_v<W, float>) {
    kernels::map_unary(kernels::UnaryOp::exp, DType::f32, row, row, n);
  } else {
    kernels::map_unary(kernels::UnaryOp::exp, DType::f64, row, row, n);
  }
}

// row = x - max(x); returns the maximum. A NaN anywhere makes every result NaN.
template <class T, class W>
W shift_row(const T* x, std::int64_t n, W* row) {
  W largest = static_cast<W>(x[0]);
  for (std::int64_t i = 1; i < n; ++i) largest = std::max(largest, static_cast<W>(x[i]));
  for (std::int64_t i = 0; i < n; ++i) row[i] = static_cast<W>(x[i]) - largest;
  return largest;
}

template <class W>
W sum_row(const W* row, std::int64_t n) {
  // Four partial sums: shorter chains of rounding errors, and the additions overlap.
  W sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += row[i + k];
  }
  for (; i < n; ++i) sums[0] += row[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T, class W>
void log_softmax_row(const T* x, std::int64_t n, W* row) {
  shift_row(x, n, row);
  W sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(row[i]);
  const W log_sum = std::log(sum);
  for (std::int64_t i = 0; i < n; ++i) row[i] -= log_sum;
}

// Calls body(T(), rows, n, buffer) once, for a buffer of the accumulator's type with room for every element:
// `out` itself, except for half types, whose results are then rounded into `out`.
template <class Body>
void with_buffer(const Type& type, void* out, Body body) {
  if (type.numel == 0) return;
  const std::int64_t n = type.shape[type.shape.rank() - 1];
  dispatch_floating(type.dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, Accumulator<T>>) {
      body(T{}, type.numel / n, n, static_cast<T*>(out));
    } else {
      ScratchArray<float> buffer(static_cast<std::size_t>(type.numel));
      body(T{}, type.numel / n, n, buffer.data());
      kernels::convert(DType::f32, buffer.data(), type.dtype, out, type.numel);
    }
  });
}

// Calls visit(T(), offset of the row, its length, scratch of that length in the accumulator's type) for each
// row.
template <class Visit>
void for_rows(const Type& type, Visit visit) {
  if (type.numel == 0) return;
  const std::int64_t n = type.shape[type.shape.rank() - 1];
  dispatch_floating(type.dtype, [&]<class T>(T) {
    // Rows of usual length on the stack.
    constexpr std::int64_t kInline = 256;
    Accumulator<T> fixed[kInline];
    ScratchArray<Accumulator<T>> longer(n > kInline ? static_cast<std::size_t>(n) : 0);
    Accumulator<T>* row = n > kInline ? longer.data() : fixed;
    for (std::int64_t start = 0; start < type.numel; start += n) visit(T{}, start, n, row);
  });
}

}  // namespace tapescope
