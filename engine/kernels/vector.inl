// Short vectors on the compiler's vector extension, for files that are compiled once per instruction set.
//
// The includer defines kVectorBytes first. Everything is in an unnamed namespace: each instruction set has
// its own copy, and the linker can never put one in place of the other. For the same reason no template of
// the standard library may be used here.
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between inlined functions only

#define TAPESCOPE_INLINE inline __attribute__((always_inline))

namespace {

using i64 = std::int64_t;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vec = typename VectorOf<T>::type;
using F = Vec<float>;
using D = Vec<double>;
using I = Vec<std::int32_t>;
using L = Vec<std::int64_t>;
using U = Vec<std::uint32_t>;
using W = Vec<std::uint64_t>;

template <class T>
constexpr i64 kLanes = kVectorBytes / static_cast<i64>(sizeof(T));

template <class V, class T>
TAPESCOPE_INLINE V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class T>
TAPESCOPE_INLINE void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}
template <class To, class From>
TAPESCOPE_INLINE To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
template <class V>
TAPESCOPE_INLINE V splat(double value) {
  if constexpr (sizeof(V) == kVectorBytes) {
    using T = std::remove_cvref_t<decltype(V{}[0])>;
    return static_cast<T>(value) - V{};  // adding zero would lose the sign of -0
  } else {
    return static_cast<V>(value);
  }
}

// |x|. The smallest integer has no opposite: it wraps to itself.
template <class V>
TAPESCOPE_INLINE V magnitude(V x) {
  // Compared against zero, -0 would keep its sign: adding zero takes it away.
  return (x < V{} ? -x : x) + V{};
}
TAPESCOPE_INLINE std::int32_t magnitude(std::int32_t x) {
  return x < 0 ? bits<std::int32_t>(0 - bits<std::uint32_t>(x)) : x;
}
TAPESCOPE_INLINE i64 magnitude(i64 x) { return x < 0 ? bits<i64>(0 - bits<std::uint64_t>(x)) : x; }
TAPESCOPE_INLINE I magnitude(I x) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) return bits<I>(_mm256_abs_epi32(bits<__m256i>(x)));
#endif
  return x < 0 ? bits<I>(-bits<U>(x)) : x;
}
TAPESCOPE_INLINE L magnitude(L x) { return x < 0 ? bits<L>(-bits<W>(x)) : x; }

// The first n < lanes elements, without reading beyond them. Halves overlap, so that all elements are
// computed alike.
typedef float Quad __attribute__((vector_size(16)));
struct Pair {
  Quad low, high;
};
TAPESCOPE_INLINE F load_first(const float* from, i64 n) {
  if (n == 1) return from[0] - F{};
  if constexpr (kVectorBytes == 32) {
    if (n >= 4) return bits<F>(Pair{load<Quad>(from), load<Quad>(from + n - 4)});
  }
  F v{};
  v[0] = from[0];
  v[1] = from[1];
  v[2] = from[n - 1];
  return v;
}
TAPESCOPE_INLINE void store_first(float* to, i64 n, F v) {
  if (n == 1) {
    to[0] = v[0];
    return;
  }
  if constexpr (kVectorBytes == 32) {
    if (n >= 4) {
      const Pair pair = bits<Pair>(v);
      store(to, pair.low);
      store(to + n - 4, pair.high);
      return;
    }
  }
  to[0] = v[0];
  to[1] = v[1];
  to[n - 1] = v[2];  // of two elements the second lies in the third lane too
}
// Correctly rounded, hence equal on every instruction set.
TAPESCOPE_INLINE float sqrt_of(float x) { return __builtin_sqrtf(x); }
TAPESCOPE_INLINE double sqrt_of(double x) { return __builtin_sqrt(x); }
#if defined(__x86_64__)
TAPESCOPE_INLINE F sqrt_of(F x) {
  if constexpr (kVectorBytes == 32) return bits<F>(_mm256_sqrt_ps(bits<__m256>(x)));
  else return bits<F>(_mm_sqrt_ps(bits<__m128>(x)));
}
TAPESCOPE_INLINE D sqrt_of(D x) {
  if constexpr (kVectorBytes == 32) return bits<D>(_mm256_sqrt_pd(bits<__m256d>(x)));
  else return bits<D>(_mm_sqrt_pd(bits<__m128d>(x)));
}
#else
template <class V>
TAPESCOPE_INLINE V sqrt_of(V x) {
  for (i64 i = 0; i < kLanes<std::remove_cvref_t<decltype(x[0])>>; ++i) x[i] = sqrt_of(x[i]);
  return x;
}
#endif

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
  F y = x > 89.f ? splat<F>(89) : x;  // keeps NaN
  y = y < -104.f ? splat<F>(-104) : y;
  const Reduced s = reduce_exponent(y);
  const F p = s.r * s.r * exp_tail(s.r) + s.r + 1.f;
  const I half = s.n >> 1;
  return p * power_of_two(half) * power_of_two(s.n - half);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1): exact in the small as in the large.
TAPESCOPE_INLINE F expm1_of(F x) {
  F y = x > 89.f ? splat<F>(89) : x;
  y = y < -26.f ? splat<F>(-26) : y;
  const Reduced s = reduce_exponent(y);
  const F m = s.r * s.r * exp_tail(s.r) + s.r;
  // 2^128 is no float: scale by half of it twice.
  const F half = power_of_two(s.n - 1);
  const F result = ((m * half + (half - 0.5f)) * 2.f);
  return x == 0.f ? x : result;  // keeps -0
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
  const F scaled = tiny ? x * 8388608.f : x;  // a denormal, where it is not flushed
  // The exponent is taken so that the rest lies in [sqrt(1/2), sqrt 2).
  const I at = bits<I>(bits<U>(scaled) - 0x3f3504f3u);
  const I n = (at >> 23) - (tiny & 23);
  const F f = bits<F>((at & 0x7fffff) + 0x3f3504f3) - 1.f;
  const F e = __builtin_convertvector(n, F);
  const F z = f * f;
  F y = f * z * log_tail(f);
  y = y + e * -2.12194440e-4f;
  y = y - z * 0.5f;
  F result = f + y + e * 0.693359375f;
  result = x == __builtin_inff() ? x : result;
  result = scaled == 0.f ? splat<F>(-__builtin_inf()) : result;
  return scaled >= 0.f ? result : splat<F>(__builtin_nan(""));
}

// log u + (x - (u - 1)) / u with u = 1 + x: the second term mends the rounding of u.
TAPESCOPE_INLINE F log1p_of(F x) {
  const F u = x + 1.f, logarithm = log_of(u);
  const F mended = logarithm + (x - (u - 1.f)) / u;
  const I bare = (u == 0.f) | (u == __builtin_inff());
  return u == 1.f ? x : bare ? logarithm : mended;
}

// tanh|x| = -m / (m + 2) with m = e^(-2|x|) - 1.
TAPESCOPE_INLINE F tanh_of(F x) {
  const I sign = bits<I>(x) & static_cast<std::int32_t>(0x80000000);
  const F m = expm1_of(bits<F>(bits<I>(x + x) | static_cast<std::int32_t>(0x80000000)));
  const F t = -m / (m + 2.f);
  return bits<F>(bits<I>(t) | sign);
}

TAPESCOPE_INLINE F sigmoid_of(F x) { return 1.f / (1.f + exp_of(-x)); }

}  // namespace
