// Opens the part of a file that is compiled for AVX-512 of the kind that has vectors of bytes and words (F,
// BW, DQ, VL), as avx2.inl does for AVX2.
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
#endif

namespace {
#if defined(__x86_64__)
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 16;
#endif
}  // namespace
