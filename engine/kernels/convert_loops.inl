// Conversions between dtypes, once per instruction set. Between half_vectors.inl and map_loops.inl.

namespace {

// ---- half types

template <bool kBrain>
void widen_loop(const void* from, void* to, i64 n) {
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

template <bool kBrain>
void narrow_loop(const void* from, void* to, i64 n) {
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

template <class From, class To>
TAPESCOPE_INLINE To convert_one(From x) {
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

template <class From, class To>
void convert_loop(const void* from, void* to, i64 n) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  i64 i = 0;
  constexpr bool kReal = (From(0.5) == From(0) || To(0.5) != To(0)) && sizeof(To) >= 4;
  if constexpr (kReal && sizeof(From) <= 8) {
    constexpr i64 kStep =
        kVectorBytes / static_cast<i64>(sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To));
    typedef From X __attribute__((vector_size(kStep * sizeof(From))));
    typedef To Y __attribute__((vector_size(kStep * sizeof(To))));
    for (; i + kStep <= n; i += kStep) store(y + i, __builtin_convertvector(load<X>(x + i), Y));
  }
  for (; i < n; ++i) y[i] = convert_one<From, To>(x[i]);
}

template <class From>
constexpr void add_conversions(tapescope::kernels::MapTable& t, tapescope::DType from) {
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
