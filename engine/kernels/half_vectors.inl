// Half types in vectors of float32, once per instruction set. After vector.inl.

namespace {

TAPESCOPE_INLINE float widen_half(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16, magnitude = h & 0x7fff;
  if (magnitude >= 0x7c00) return bits<float>(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
  // A subnormal is mantissa * 2^-24; as a float32 it is normal.
  if (magnitude < 0x400)
    return bits<float>(bits<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f) | sign);
  return bits<float>(sign | ((magnitude << 13) + 0x38000000u));
}

TAPESCOPE_INLINE std::uint16_t narrow_half(float x) {
  const std::uint32_t b = bits<std::uint32_t>(x), magnitude = b & 0x7fffffff;
  const std::uint16_t sign = static_cast<std::uint16_t>(b >> 16 & 0x8000);
  if (magnitude > 0x7f800000u) return sign | 0x7e00 | static_cast<std::uint16_t>(magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000u) return sign | 0x7c00;  // 65520 and more
  // Below 2^-14: adding 0.5 leaves units of 2^-24 in the mantissa, rounded by the addition itself.
  if (magnitude < 0x38800000u)
    return sign |
           static_cast<std::uint16_t>(bits<std::uint32_t>(bits<float>(magnitude) + 0.5f) - 0x3f000000u);
  return sign | static_cast<std::uint16_t>((magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000u) >> 13);
}

typedef std::uint16_t Words __attribute__((vector_size(2 * kLanes<float>)));

TAPESCOPE_INLINE F widen_half(Words h) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) return bits<F>(_mm256_cvtph_ps(bits<__m128i>(h)));
#endif
  F x;
  for (i64 i = 0; i < kLanes<float>; ++i) x[i] = widen_half(h[i]);
  return x;
}
TAPESCOPE_INLINE Words narrow_half(F x) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32)
    return bits<Words>(_mm256_cvtps_ph(bits<__m256>(x), _MM_FROUND_TO_NEAREST_INT));
#endif
  Words h;
  for (i64 i = 0; i < kLanes<float>; ++i) h[i] = narrow_half(x[i]);
  return h;
}
TAPESCOPE_INLINE F widen_bfloat(Words h) { return bits<F>(__builtin_convertvector(h, U) << 16); }
// The upper half of each lane is the bfloat16.
TAPESCOPE_INLINE U rounded_to_bfloat(F x) {
  const U b = bits<U>(x);
  return (b & 0x7fffffffu) > 0x7f800000u ? b | 0x400000u : b + 0x7fffu + (b >> 16 & 1u);
}
TAPESCOPE_INLINE Words narrow_bfloat(F x) {
  return __builtin_convertvector(rounded_to_bfloat(x) >> 16, Words);
}

}  // namespace
