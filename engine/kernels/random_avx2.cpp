// The loops of random numbers for processors with AVX2.
#include "engine/kernels/random_table.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx2.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/random_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const RandomTable kRandomAvx2{word_loop, normal_loop};
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
