// The loop, for files that are compiled once per instruction set and have engine/kernels/vector.inl included
// before.

namespace {

// As many bytes as F has lanes, widened.
TAPESCOPE_INLINE F floats_of(const std::uint8_t* from) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) {
    const __m128i packed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return bits<F>(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(packed)));
  } else {
    int four;
    __builtin_memcpy(&four, from, sizeof(four));
    const __m128i zero = _mm_setzero_si128();
    const __m128i pairs = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero);
    return bits<F>(_mm_cvtepi32_ps(_mm_unpacklo_epi16(pairs, zero)));
  }
#else
  F wide;
  for (i64 i = 0; i < kLanes<float>; ++i) wide[i] = from[i];
  return wide;
#endif
}

TAPESCOPE_INLINE void divide_bytes(const std::uint8_t* from, float divisor, float* to, i64 n) {
  i64 i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) store(to + i, floats_of(from + i) / divisor);
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]) / divisor;
}

}  // namespace
