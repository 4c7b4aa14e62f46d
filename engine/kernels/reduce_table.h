// The reduction loops of one instruction set. Internal to the kernels.
#pragma once
#include "engine/kernels/fold.h"
#include "engine/kernels/reduce.h"

namespace tapescope::kernels {

// acc[o, k] = x[o, 0, k] . x[o, 1, k] ... over the middle of [outer, n, inner].
using FoldLoop = void (*)(const void* x, std::int64_t outer, std::int64_t n, std::int64_t inner, void* acc);

// Around machine code that folds a run of float32 or float64: sets its running values, and joins them with
// the n elements that are left.
struct RunningFold {
  void (*start)(void* running) = nullptr;
  void (*end)(const void* running, const void* rest, std::int64_t n, void* acc) = nullptr;
};

struct ColumnTable {
  FoldLoop fold[static_cast<int>(Fold::count_)][kDTypeCount] = {};  // of inner > 1
};
struct ReduceTable {
  RunningFold running[static_cast<int>(Fold::count_)][kDTypeCount] = {};
  FoldLoop run[static_cast<int>(Fold::count_)][kDTypeCount] = {};  // of inner = 1
  ColumnTable columns;
};
extern const ReduceTable kReduceBaseline;
extern const ReduceTable kReduceAvx2;
// Where columns are folded wider vectors are faster; one short run has too few elements for them.
extern const ColumnTable kColumnsAvx512;

}  // namespace tapescope::kernels
