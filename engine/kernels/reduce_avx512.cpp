// The reduction loops of columns for processors with AVX-512.
#include "engine/kernels/reduce_table.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx512.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/reduce_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const ColumnTable kColumnsAvx512 = make_column_table();
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
