// One pass over a tensor: float32 in blocks of vectors, everything else through element().
#include "engine/events/stats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/slices.h"

namespace tapescope {
namespace {

struct Sums {
  double sum = 0, squares = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  std::int64_t zeros = 0, nans = 0, infinities = 0, negative_infinities = 0;

  void add(double value) {
    if (std::isnan(value)) {
      ++nans;
      return;
    }
    if (std::isinf(value)) {
      ++infinities;
      negative_infinities += value < 0;
      return;
    }
    sum += value;
    squares += value * value;
    min = std::min(min, value);
    max = std::max(max, value);
    zeros += value == 0;
  }
};

// A block without branches; the caller repeats it element by element when it was not finite.
constexpr std::int64_t kBlock = 1024;

// Vectors of the compiler's: eight floats, or two halves of them where the machine has only four.
using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
constexpr int kWide = 8;
constexpr std::int64_t kLanes = 2 * kWide;

// Members and not arrays: an optimizer that unrolls no loop would keep arrays in memory, at twice the time.
struct Chain {
  Floats sum{}, squares{};
  Floats low = Floats{} + std::numeric_limits<float>::infinity(),
         high = Floats{} - std::numeric_limits<float>::infinity();
  Ints zeros{};

  [[gnu::always_inline]] void add(const float* values) {
    Floats v;
    std::memcpy(&v, values, sizeof v);
    sum += v;
    squares += v * v;
    low = v < low ? v : low;
    high = v > high ? v : high;
    zeros -= v == Floats{};  // a true lane is -1
  }
};

[[gnu::always_inline]] inline bool block_sums(const float* values, std::int64_t count, Sums& sums) {
  Chain a, b;  // more would not fit the sixteen registers there are
  for (std::int64_t i = 0; i < count; i += kLanes) {
    a.add(values + i);
    b.add(values + i + kWide);
  }
  double total = 0, total_squares = 0;
  for (const Chain* chain : {&a, &b}) {
    for (int lane = 0; lane < kWide; ++lane) {
      total += chain->sum[lane];
      total_squares += chain->squares[lane];
    }
  }
  if (!std::isfinite(total_squares)) return false;
  sums.sum += total;
  sums.squares += total_squares;
  for (const Chain* chain : {&a, &b}) {
    for (int lane = 0; lane < kWide; ++lane) {
      sums.min = std::min(sums.min, static_cast<double>(chain->low[lane]));
      sums.max = std::max(sums.max, static_cast<double>(chain->high[lane]));
      sums.zeros += chain->zeros[lane];
    }
  }
  return true;
}

bool block_baseline(const float* values, std::int64_t count, Sums& sums) {
  return block_sums(values, count, sums);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) bool block_avx2(const float* values, std::int64_t count, Sums& sums) {
  return block_sums(values, count, sums);
}
#endif

bool add_block(const float* values, std::int64_t count, Sums& sums) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2");
  if (wide) return block_avx2(values, count, sums);
#endif
  return block_baseline(values, count, sums);
}

}  // namespace

TensorStats tensor_stats(const Tensor& tensor) {
  TensorStats stats;
  if (!tensor) return stats;
  if (const SlicesExtension* slices = slices_of(tensor.impl())) {
    stats = tensor_stats(slices->values);
    stats.tensor = tensor.id();
    return stats;
  }
  stats.tensor = tensor.id();
  stats.type = &tensor.type();
  stats.count = tensor.numel();
  Sums sums;
  std::int64_t i = 0;
  if (tensor.dtype() == DType::f32) {
    const float* values = tensor.data<float>();
    while (i + kLanes <= stats.count) {
      const std::int64_t count = std::min(kBlock, (stats.count - i) / kLanes * kLanes);
      if (!add_block(values + i, count, sums)) {
        for (std::int64_t k = i; k < i + count; ++k) sums.add(values[k]);
      }
      i += count;
    }
  }
  for (; i < stats.count; ++i) sums.add(element_value(tensor, i));
  const std::int64_t finite = stats.count - sums.nans - sums.infinities;
  stats.zeros = sums.zeros;
  stats.nans = sums.nans;
  stats.infinities = sums.infinities;
  stats.negative_infinities = sums.negative_infinities;
  stats.signs_known = true;
  if (finite > 0) {
    stats.min = sums.min;
    stats.max = sums.max;
    stats.mean = sums.sum / static_cast<double>(finite);
  }
  stats.norm = sums.nans         ? std::numeric_limits<double>::quiet_NaN()
               : sums.infinities ? std::numeric_limits<double>::infinity()
                                 : std::sqrt(sums.squares);
  return stats;
}

std::vector<std::int64_t> tensor_histogram(const Tensor& tensor, const TensorStats& stats, int bins) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
  const double width = (stats.max - stats.min) / bins;
  for (std::int64_t i = 0; i < stats.count; ++i) {
    const double value = element_value(tensor, i);
    if (!std::isfinite(value)) continue;
    const int bin = width > 0 ? static_cast<int>((value - stats.min) / width) : 0;
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))];
  }
  return counts;
}

}  // namespace tapescope
