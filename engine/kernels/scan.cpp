// Running sums and products, and positions of extremes.
#include <cmath>
#include <limits>

#include "engine/kernels/map.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/scratch.h"

namespace tapescope::kernels {
namespace {

// A strip of columns keeps its running values in the first cache.
constexpr std::int64_t kStrip = 64;

template <bool kProduct, class T, class Acc>
void scan_loop(const void* from, void* to, std::int64_t outer, std::int64_t n, std::int64_t inner,
               bool exclusive, bool reverse) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t first = 0; first < inner; first += kStrip) {
      const std::int64_t width = inner - first < kStrip ? inner - first : kStrip;
      Acc run[kStrip];
      for (std::int64_t k = 0; k < width; ++k) run[k] = Acc(kProduct ? 1 : 0);
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t at = (o * n + (reverse ? n - 1 - j : j)) * inner + first;
        for (std::int64_t k = 0; k < width; ++k) {
          const Acc before = run[k], value = static_cast<Acc>(x[at + k]);
          run[k] = kProduct ? before * value : before + value;
          y[at + k] = static_cast<T>(exclusive ? before : run[k]);
        }
      }
    }
  }
}

template <bool kProduct>
void scan_typed(DType type, const void* x, void* y, std::int64_t outer, std::int64_t n, std::int64_t inner,
                bool exclusive, bool reverse) {
  switch (type) {
    case DType::f32: return scan_loop<kProduct, float, double>(x, y, outer, n, inner, exclusive, reverse);
    case DType::f64: return scan_loop<kProduct, double, double>(x, y, outer, n, inner, exclusive, reverse);
    // Unsigned: overflow wraps.
    case DType::i32:
      return scan_loop<kProduct, std::uint32_t, std::uint32_t>(x, y, outer, n, inner, exclusive, reverse);
    case DType::i64:
      return scan_loop<kProduct, std::uint64_t, std::uint64_t>(x, y, outer, n, inner, exclusive, reverse);
    default: return;
  }
}

template <class T, class Index>
void arg_loop(bool largest, const T* x, std::int64_t outer, std::int64_t n, std::int64_t inner, Index* y) {
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t k = 0; k < inner; ++k) {
      const T* column = x + o * n * inner + k;
      std::int64_t best = 0;
      for (std::int64_t j = 1; j < n; ++j) {
        if (largest ? column[j * inner] > column[best * inner] : column[j * inner] < column[best * inner])
          best = j;
      }
      y[o * inner + k] = static_cast<Index>(best);
    }
  }
}

template <class T>
void arg_typed(bool largest, const void* x, std::int64_t outer, std::int64_t n, std::int64_t inner,
               DType index, void* y) {
  if (index == DType::i32)
    arg_loop(largest, static_cast<const T*>(x), outer, n, inner, static_cast<std::int32_t*>(y));
  else arg_loop(largest, static_cast<const T*>(x), outer, n, inner, static_cast<std::int64_t*>(y));
}

}  // namespace

void scan(bool product, DType type, const void* x, void* y, std::int64_t outer, std::int64_t n,
          std::int64_t inner, bool exclusive, bool reverse) {
  if (is_half(type)) {
    const std::int64_t count = outer * n * inner;
    const Scratch wide(4 * count);
    convert(type, x, DType::f32, wide.as<void>(), count);
    scan(product, DType::f32, wide.as<void>(), wide.as<void>(), outer, n, inner, exclusive, reverse);
    convert(DType::f32, wide.as<void>(), type, y, count);
    return;
  }
  if (product) scan_typed<true>(type, x, y, outer, n, inner, exclusive, reverse);
  else scan_typed<false>(type, x, y, outer, n, inner, exclusive, reverse);
}

void arg_extreme(bool largest, DType type, const void* x, std::int64_t outer, std::int64_t n,
                 std::int64_t inner, DType index_type, void* y) {
  switch (type) {
    case DType::f32: return arg_typed<float>(largest, x, outer, n, inner, index_type, y);
    case DType::f64: return arg_typed<double>(largest, x, outer, n, inner, index_type, y);
    case DType::i32: return arg_typed<std::int32_t>(largest, x, outer, n, inner, index_type, y);
    case DType::i64: return arg_typed<std::int64_t>(largest, x, outer, n, inner, index_type, y);
    case DType::boolean: return arg_typed<std::uint8_t>(largest, x, outer, n, inner, index_type, y);
    default: {
      const Scratch wide(4 * outer * n * inner);
      convert(type, x, DType::f32, wide.as<void>(), outer * n * inner);
      return arg_typed<float>(largest, wide.as<void>(), outer, n, inner, index_type, y);
    }
  }
}

}  // namespace tapescope::kernels
