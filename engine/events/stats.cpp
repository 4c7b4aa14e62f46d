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
  std::int64_t zeros = 0, nans = 0, infinities = 0;

  void add(double value) {
    if (std::isnan(value)) {
      ++nans;
      return;
    }
    if (std::isinf(value)) {
      ++infinities;
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
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kBlock = 1024;

// Vectors of the compiler's: eight floats, or two halves of them where the machine has only four.
using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));

[[gnu::always_inline]] inline bool block_sums(const float* values, std::int64_t count, Sums& sums) {
  constexpr int kChains = 2;  // more would not fit the sixteen registers there are
  constexpr int kWide = 8;
  Floats sum[kChains] = {}, squares[kChains] = {}, low[kChains], high[kChains];
  Ints zeros[kChains] = {};
  for (int chain = 0; chain < kChains; ++chain) {
    low[chain] = Floats{} + std::numeric_limits<float>::infinity();
    high[chain] = Floats{} - std::numeric_limits<float>::infinity();
  }
  for (std::int64_t i = 0; i < count; i += kLanes) {
    for (int chain = 0; chain < kChains; ++chain) {
      Floats v;
      std::memcpy(&v, values + i + chain * kWide, sizeof v);
      sum[chain] += v;
      squares[chain] += v * v;
      low[chain] = v < low[chain] ? v : low[chain];
      high[chain] = v > high[chain] ? v : high[chain];
      zeros[chain] -= v == Floats{};  // a true lane is -1
    }
  }
  double total = 0, total_squares = 0;
  for (int chain = 0; chain < kChains; ++chain) {
    for (int lane = 0; lane < kWide; ++lane) {
      total += sum[chain][lane];
      total_squares += squares[chain][lane];
    }
  }
  if (!std::isfinite(total_squares)) return false;
  sums.sum += total;
  sums.squares += total_squares;
  for (int chain = 0; chain < kChains; ++chain) {
    for (int lane = 0; lane < kWide; ++lane) {
      sums.min = std::min(sums.min, static_cast<double>(low[chain][lane]));
      sums.max = std::max(sums.max, static_cast<double>(high[chain][lane]));
      sums.zeros += zeros[chain][lane];
    }
  }
  return true;
}

bool block_baseline(const float* values, std::int64_t count, Sums& sums) { return block_sums(values, count, sums); }

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
  for (; i < stats.count; ++i) sums.add(element(tensor, i));
  const std::int64_t finite = stats.count - sums.nans - sums.infinities;
  stats.zeros = sums.zeros;
  stats.nans = sums.nans;
  stats.infinities = sums.infinities;
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
    const double value = element(tensor, i);
    if (!std::isfinite(value)) continue;
    const int bin = width > 0 ? static_cast<int>((value - stats.min) / width) : 0;
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))];
  }
  return counts;
}

}  // namespace tapescope
