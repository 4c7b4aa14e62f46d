// Opens the part of a file that is compiled for AVX2, FMA and F16C. It stays open to the file's end, because
// templates are instantiated there. Every standard header must be included before.
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif
#endif

namespace {
#if defined(__x86_64__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
}  // namespace
