// The optimizers' updates for processors with AVX2.
#include "engine/nn/update_loops.h"

#include <type_traits>

#include "engine/core/half.h"
// Each needs those before it.
// clang-format off
#include "engine/kernels/avx2.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/half_vectors.inl"
#include "engine/nn/update_loops.inl"
// clang-format on

namespace tapescope::updates {
constinit const Table kAvx2 = make_update_table();
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
