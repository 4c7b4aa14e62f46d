// Kernels by element type: one lambda, called with a value of the type.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "engine/core/half.h"
#include "engine/core/pool.h"
#include "engine/core/type.h"

namespace tapescope {

// By floating type; other dtypes are refused in inference.
template <class F>
void dispatch_floating(DType dtype, F f) {
  switch (dtype) {
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::f16: return f(Half{});
    case DType::bf16: return f(BFloat16{});
    default: return;
  }
}

template <class F>
void dispatch_number(DType dtype, F f) {
  switch (dtype) {
    case DType::i32: return f(std::int32_t{});
    case DType::i64: return f(std::int64_t{});
    default: return dispatch_floating(dtype, f);
  }
}

template <class F>
void dispatch_index(DType dtype, F f) {
  if (dtype == DType::i32) f(std::int32_t{});
  else f(std::int64_t{});
}

// By element size, for kernels that only move.
template <class F>
void dispatch_size(std::size_t size, F f) {
  switch (size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return;
  }
}

// What a kernel of T computes and accumulates in: half types are storage types.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// a + b or a - b, with `op` std::plus or std::minus. Integers wrap, as TensorFlow's do.
template <class T, class Op>
T wrapping(Op op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using W = std::make_unsigned_t<T>;
    return static_cast<T>(op(static_cast<W>(a), static_cast<W>(b)));
  } else {
    return op(a, b);
  }
}

// Zero-filled scratch memory from the pool.
template <class T>
class ScratchArray {
 public:
  explicit ScratchArray(std::size_t count) : block_(pool_acquire(count * sizeof(T))), count_(count) {
    std::fill_n(data(), count, T());
  }
  ~ScratchArray() { pool_release(block_); }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;
  T* data() { return static_cast<T*>(block_.memory); }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data()[i]; }

 private:
  PoolBlock block_;
  std::size_t count_;
};

}  // namespace tapescope
