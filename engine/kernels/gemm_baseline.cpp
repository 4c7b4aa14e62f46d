// Our own matrix product for every processor of the architecture.
#include "engine/kernels/gemm_own.h"

namespace {
constexpr int kVectorBytes = 16;
}
// Each needs those before it.
// clang-format off
#include "engine/kernels/vector.inl"
#include "engine/kernels/gemm_loops.inl"
// clang-format on

namespace tapescope::kernels {
void gemm_own_baseline(const Gemm& g, const float* a, const float* b, float* c) { gemm_loops(g, a, b, c); }
void gemm_own_baseline(const Gemm& g, const double* a, const double* b, double* c) { gemm_loops(g, a, b, c); }
}  // namespace tapescope::kernels
