// Our own matrix product: for small shapes, where a library's preparations cost more than the product.
#pragma once
#include "engine/kernels/gemm.h"

namespace tapescope::kernels {

// Of one instruction set; AVX2's uses fused multiply-adds.
void gemm_own_baseline(const Gemm& g, const float* a, const float* b, float* c);
void gemm_own_baseline(const Gemm& g, const double* a, const double* b, double* c);
void gemm_own_avx2(const Gemm& g, const float* a, const float* b, float* c);
void gemm_own_avx2(const Gemm& g, const double* a, const double* b, double* c);

}  // namespace tapescope::kernels
