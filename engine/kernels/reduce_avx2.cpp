// The reduction loops for processors with AVX2.
#include "engine/kernels/reduce_table.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx2.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/reduce_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const ReduceTable kReduceAvx2 = make_reduce_table();
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
