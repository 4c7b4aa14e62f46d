// What the elements of a run are combined by.
#pragma once
#include <cstdint>

#include "engine/core/dtype.h"

namespace tapescope::kernels {

// Mean is a sum and norm a sum of squares.
enum class Fold : std::uint8_t { sum, squares, prod, max, min, all, any, count_ };

// The values that a run is folded into side by side, element i into i % kRunning; part of the result.
inline constexpr std::int64_t kRunning = 16;

// The dtype a fold accumulates in: double for floats' sums, int64 for integers'; otherwise the dtype itself.
constexpr DType accumulator(Fold fold, DType type) {
  if (fold > Fold::prod) return type;
  return is_floating(type) ? DType::f64 : DType::i64;
}

}  // namespace tapescope::kernels
