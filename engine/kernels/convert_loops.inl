// Conversions between dtypes, once per instruction set. Between vector.inl and map_loops.inl.

namespace {

// ---- half types in vectors of float32

TAPESCOPE_INLINE float widen_half(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16, magnitude = h & 0x7fff;
  if (magnitude >= 0x7c00) return bits<float>(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
  // A subnormal is mantissa * 2^-24; as a float32 it is normal.
  if (magnitude < 0x400) return bits<float>(bits<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f) | sign);
  return bits<float>(sign | ((magnitude << 13) + 0x38000000u));
}

TAPESCOPE_INLINE std::uint16_t narrow_half(float x) {
  const std::uint32_t b = bits<std::uint32_t>(x), magnitude = b & 0x7fffffff;
  const std::uint16_t sign = static_cast<std::uint16_t>(b >> 16 & 0x8000);
  if (magnitude > 0x7f800000u) return sign | 0x7e00 | static_cast<std::uint16_t>(magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000u) return sign | 0x7c00;  // 65520 and more
  // Below 2^-14: adding 0.5 leaves units of 2^-24 in the mantissa, rounded by the addition itself.
  if (magnitude < 0x38800000u) return sign | static_cast<std::uint16_t>(bits<std::uint32_t>(bits<float>(magnitude) + 0.5f) - 0x3f000000u);
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
  if constexpr (kVectorBytes == 32) return bits<Words>(_mm256_cvtps_ph(bits<__m256>(x), _MM_FROUND_TO_NEAREST_INT));
#endif
  Words h;
  for (i64 i = 0; i < kLanes<float>; ++i) h[i] = narrow_half(x[i]);
  return h;
}
TAPESCOPE_INLINE F widen_bfloat(Words h) { return bits<F>(__builtin_convertvector(h, U) << 16); }
TAPESCOPE_INLINE Words narrow_bfloat(F x) {
  const U b = bits<U>(x);
  const U rounded = (b + 0x7fffu + (b >> 16 & 1u)) >> 16;
  const U nan = b >> 16 | 0x40u;
  return __builtin_convertvector((b & 0x7fffffffu) > 0x7f800000u ? nan : rounded, Words);
}

template <bool kBrain> void widen_loop(const void* from, void* to, i64 n) {
  const std::uint16_t* x = static_cast<const std::uint16_t*>(from);
  float* y = static_cast<float*>(to);
  constexpr i64 kStep = kLanes<float>;
  i64 i = 0;
  const auto step = [](Words h) { return kBrain ? widen_bfloat(h) : widen_half(h); };
  for (; i + kStep <= n; i += kStep) store(y + i, step(load<Words>(x + i)));
  if (i < n) {
    Words h{};
    for (i64 k = i; k < n; ++k) h[k - i] = x[k];
    const F result = step(h);
    for (i64 k = i; k < n; ++k) y[k] = result[k - i];
  }
}

template <bool kBrain> void narrow_loop(const void* from, void* to, i64 n) {
  const float* x = static_cast<const float*>(from);
  std::uint16_t* y = static_cast<std::uint16_t*>(to);
  constexpr i64 kStep = kLanes<float>;
  i64 i = 0;
  const auto step = [](F v) { return kBrain ? narrow_bfloat(v) : narrow_half(v); };
  for (; i + kStep <= n; i += kStep) store(y + i, step(load<F>(x + i)));
  if (i < n) {
    F v{};
    for (i64 k = i; k < n; ++k) v[k - i] = x[k];
    const Words result = step(v);
    for (i64 k = i; k < n; ++k) y[k] = result[k - i];
  }
}

// ---- the other types; bool is a byte of 0 or 1

template <class From, class To> TAPESCOPE_INLINE To convert_one(From x) {
  if constexpr (__is_same(To, std::uint8_t)) {
    return x != From(0);
  } else if constexpr (From(0.5) != From(0) && To(0.5) == To(0)) {
    // A float beyond the range has no whole number: the nearest end; NaN becomes 0.
    constexpr From kEnd = sizeof(To) == 4 ? From(2147483648.0) : From(9223372036854775808.0);
    constexpr To kLargest = static_cast<To>(sizeof(To) == 4 ? 0x7fffffffll : 0x7fffffffffffffffll);
    return x >= kEnd ? kLargest : x < -kEnd ? -kLargest - 1 : x == x ? static_cast<To>(x) : To(0);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To> void convert_loop(const void* from, void* to, i64 n) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  i64 i = 0;
  constexpr bool kReal = (From(0.5) == From(0) || To(0.5) != To(0)) && sizeof(To) >= 4;
  if constexpr (kReal && sizeof(From) <= 8) {
    constexpr i64 kStep = kVectorBytes / static_cast<i64>(sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));
    typedef From X __attribute__((vector_size(kStep * sizeof(From))));
    typedef To Y __attribute__((vector_size(kStep * sizeof(To))));
    for (; i + kStep <= n; i += kStep) store(y + i, __builtin_convertvector(load<X>(x + i), Y));
  }
  for (; i < n; ++i) y[i] = convert_one<From, To>(x[i]);
}

template <class From> constexpr void add_conversions(tapescope::kernels::MapTable& t, tapescope::DType from) {
  using tapescope::DType;
  auto& row = t.convert[static_cast<int>(from)];
  row[static_cast<int>(DType::f32)] = convert_loop<From, float>;
  row[static_cast<int>(DType::f64)] = convert_loop<From, double>;
  row[static_cast<int>(DType::i32)] = convert_loop<From, std::int32_t>;
  row[static_cast<int>(DType::i64)] = convert_loop<From, i64>;
  row[static_cast<int>(DType::boolean)] = convert_loop<From, std::uint8_t>;
}

constexpr void add_convert_rows(tapescope::kernels::MapTable& t) {
  using tapescope::DType;
  add_conversions<float>(t, DType::f32);
  add_conversions<double>(t, DType::f64);
  add_conversions<std::int32_t>(t, DType::i32);
  add_conversions<i64>(t, DType::i64);
  add_conversions<std::uint8_t>(t, DType::boolean);
  // Between half types and the others the way leads through float32: map.cpp does it tile by tile.
  const int f32 = static_cast<int>(DType::f32);
  t.convert[static_cast<int>(DType::f16)][f32] = widen_loop<false>;
  t.convert[static_cast<int>(DType::bf16)][f32] = widen_loop<true>;
  t.convert[f32][static_cast<int>(DType::f16)] = narrow_loop<false>;
  t.convert[f32][static_cast<int>(DType::bf16)] = narrow_loop<true>;
}

}  // namespace
