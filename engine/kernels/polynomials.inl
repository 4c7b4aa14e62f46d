// Exponentials and logarithms of float32 as polynomials. After vector.inl, once per instruction set, or after
// ir_values.inl, whose values stand for instructions.

namespace {

// e^r = 1 + r + r^2 P(r) on |r| <= 0.354; P fitted by weighted least squares, relative error 4e-9.
TAPESCOPE_INLINE F exp_tail(F r) {
  F p = r * 0.0013823604676872492f + 0.008369959890842438f;
  p = p * r + 0.04166826605796814f;
  p = p * r + 0.16666510701179504f;
  return p * r + 0.4999999403953552f;
}
// x = n ln 2 + r: adding 1.5 * 2^23 rounds to the nearest whole number; ln 2 is taken in two parts.
struct Reduced {
  F r;
  I n;
};
TAPESCOPE_INLINE Reduced reduce_exponent(F x) {
  const F shifted = x * 1.44269504088896341f + 12582912.f;
  const F n = shifted - 12582912.f;
  return {(x - n * 0.693359375f) - n * -2.12194440e-4f, bits<I>(shifted) - 0x4b400000};
}
TAPESCOPE_INLINE F power_of_two(I n) { return bits<F>((n + 127) << 23); }

// At most 1.5 units in the last place. Infinite above 88.73; scaling in two steps lets results below the
// smallest normal number come out as the thread's rounding mode wants them: zero where denormals are flushed.
TAPESCOPE_INLINE F exp_of(F x) {
  F y = choose(x > 89.f, splat<F>(89), x);  // keeps NaN
  y = choose(y < -104.f, splat<F>(-104), y);
  const Reduced s = reduce_exponent(y);
  const F p = s.r * s.r * exp_tail(s.r) + s.r + 1.f;
  const I half = s.n >> 1;
  return p * power_of_two(half) * power_of_two(s.n - half);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1): exact in the small as in the large.
TAPESCOPE_INLINE F expm1_of(F x) {
  F y = choose(x > 89.f, splat<F>(89), x);
  y = choose(y < -26.f, splat<F>(-26), y);
  const Reduced s = reduce_exponent(y);
  const F m = s.r * s.r * exp_tail(s.r) + s.r;
  // 2^128 is no float: scale by half of it twice.
  const F half = power_of_two(s.n - 1);
  const F result = ((m * half + (half - 0.5f)) * 2.f);
  return choose(x == 0.f, x, result);  // keeps -0
}

// log(1 + f) = f - f^2/2 + f^3 P(f) on [sqrt(1/2), sqrt 2] - 1; P fitted, relative error 8e-10.
TAPESCOPE_INLINE F log_tail(F f) {
  F p = f * 0.06735032051801682f - 0.11662544310092926f;
  p = p * f + 0.11886373162269592f;
  p = p * f - 0.12407957762479782f;
  p = p * f + 0.14220188558101654f;
  p = p * f - 0.16667862236499786f;
  p = p * f + 0.20002074539661407f;
  p = p * f - 0.25000011920928955f;
  return p * f + 0.3333331346511841f;
}

TAPESCOPE_INLINE F log_of(F x) {
  const I tiny = x < 1.17549435e-38f;
  const F scaled = choose(tiny, x * 8388608.f, x);  // a denormal, where it is not flushed
  // The exponent is taken so that the rest lies in [sqrt(1/2), sqrt 2).
  const I at = bits<I>(bits<U>(scaled) - 0x3f3504f3u);
  const I n = (at >> 23) - (tiny & 23);
  const F f = bits<F>((at & 0x7fffff) + 0x3f3504f3) - 1.f;
  const F e = to_float(n);
  const F z = f * f;
  F y = f * z * log_tail(f);
  y = y + e * -2.12194440e-4f;
  y = y - z * 0.5f;
  F result = f + y + e * 0.693359375f;
  result = choose(x == __builtin_inff(), x, result);
  result = choose(scaled == 0.f, splat<F>(-__builtin_inf()), result);
  return choose(scaled >= 0.f, result, splat<F>(__builtin_nan("")));
}

// log u + (x - (u - 1)) / u with u = 1 + x: the second term mends the rounding of u.
TAPESCOPE_INLINE F log1p_of(F x) {
  const F u = x + 1.f, logarithm = log_of(u);
  const F mended = logarithm + (x - (u - 1.f)) / u;
  const I bare = (u == 0.f) | (u == __builtin_inff());
  return choose(u == 1.f, x, choose(bare, logarithm, mended));
}

// tanh|x| = -m / (m + 2) with m = e^(-2|x|) - 1.
TAPESCOPE_INLINE F tanh_of(F x) {
  const I sign = bits<I>(x) & static_cast<std::int32_t>(0x80000000);
  const F m = expm1_of(bits<F>(bits<I>(x + x) | static_cast<std::int32_t>(0x80000000)));
  const F t = -m / (m + 2.f);
  return bits<F>(bits<I>(t) | sign);
}

// |x| + |x| P(x^2) below 1, 1 - e^R(|x|) above, where R is log(1 - erf) and 4 stands for all beyond; P and R
// fitted, relative errors 2e-9 of erf. At most 2 units in the last place.
TAPESCOPE_INLINE F erf_of(F x) {
  const I sign = bits<I>(x) & static_cast<std::int32_t>(0x80000000);
  const F a = bits<F>(bits<I>(x) & 0x7fffffff), t = a * a;
  F p = t * 7.853857823647559e-05f - 0.0008010192541405559f;
  p = p * t + 0.005188327748328447f;
  p = p * t - 0.026853810995817184f;
  p = p * t + 0.1128358542919159f;
  p = p * t - 0.3761262595653534f;
  p = p * t + 0.12837916612625122f;
  const F b = choose(a > 4.f, splat<F>(4), a);  // keeps NaN
  F r = b * 0.0001863800862338394f - 0.0029476669151335955f;
  r = r * b + 0.021838096901774406f;
  r = r * b - 0.10310681909322739f;
  r = r * b - 0.6381447315216064f;
  r = r * b - 1.127089262008667f;
  r = r * b - 0.00034151258296333253f;
  const F result = choose(a < 1.f, a * p + a, 1.f - exp_of(r));
  return bits<F>(bits<I>(result) | sign);
}

TAPESCOPE_INLINE F sigmoid_of(F x) { return 1.f / (1.f + exp_of(-x)); }

}  // namespace
