// The reduction loops of one instruction set. Internal to the kernels.
#pragma once
#include "engine/kernels/reduce.h"

namespace tapescope::kernels {

// What a loop combines; mean is a sum and norm a sum of squares to it.
enum class Fold : std::uint8_t { sum, squares, prod, max, min, all, any, count_ };

// acc[o, k] = x[o, 0, k] . x[o, 1, k] ... over the middle of [outer, n, inner].
using FoldLoop = void (*)(const void* x, std::int64_t outer, std::int64_t n, std::int64_t inner, void* acc);

struct ReduceTable {
  FoldLoop fold[static_cast<int>(Fold::count_)][kDTypeCount] = {};
};
extern const ReduceTable kReduceBaseline;
extern const ReduceTable kReduceAvx2;

// The dtype a fold accumulates in: double for floats' sums, int64 for integers'; otherwise the dtype itself.
constexpr DType accumulator(Fold fold, DType type) {
  if (fold > Fold::prod) return type;
  return is_floating(type) ? DType::f64 : DType::i64;
}

}  // namespace tapescope::kernels
