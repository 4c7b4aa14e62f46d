// The loops over rows of softmax for processors with AVX-512.
#include "engine/kernels/softmax_table.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx512.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/polynomials.inl"
#include "engine/kernels/softmax_loops.inl"
// clang-format on

namespace tapescope::kernels {
constinit const SoftmaxTable kSoftmaxAvx512 = make_softmax_table();
}
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
