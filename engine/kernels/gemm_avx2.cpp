// Our own matrix product for processors with AVX2 and FMA.
#include "engine/kernels/gemm_own.h"

// Each needs those before it.
// clang-format off
#include "engine/kernels/avx2.inl"
#include "engine/kernels/vector.inl"
#include "engine/kernels/gemm_loops.inl"
// clang-format on

namespace tapescope::kernels {
void gemm_own_avx2(const Gemm& g, const float* a, const float* b, float* c) { gemm_loops(g, a, b, c); }
void gemm_own_avx2(const Gemm& g, const double* a, const double* b, double* c) { gemm_loops(g, a, b, c); }
}  // namespace tapescope::kernels
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif
