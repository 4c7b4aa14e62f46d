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

// m ? a : b, lane by lane of vectors. A function, so that text can be instantiated for values that are no
// numbers (machine_code.cpp).
template <class M, class V>
TAPESCOPE_INLINE V choose(M m, V a, V b) {
  return m ? a : b;
}
TAPESCOPE_INLINE F to_float(I n) { return __builtin_convertvector(n, F); }

// |x|. The smallest integer has no opposite: it wraps to itself.
template <class V>
TAPESCOPE_INLINE V magnitude(V x) {
  // Compared against zero, -0 would keep its sign: adding zero takes it away.
  return choose(x < V{}, -x, x) + V{};
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

// The first n < lanes elements, without reading beyond them. Halves overlap, or the first one fills the rest,
// so that all elements are computed alike.
typedef float Quad __attribute__((vector_size(16)));
struct Pair {
  Quad low, high;
};
TAPESCOPE_INLINE F load_first(const float* from, i64 n) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 64) {
    const __m512 rest = _mm512_set1_ps(*from);
    return bits<F>(_mm512_mask_loadu_ps(rest, static_cast<__mmask16>((1u << n) - 1), from));
  }
#endif
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
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 64)
    return _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), bits<__m512>(v));
#endif
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
  if constexpr (kVectorBytes == 64) return bits<F>(_mm512_sqrt_ps(bits<__m512>(x)));
  else if constexpr (kVectorBytes == 32) return bits<F>(_mm256_sqrt_ps(bits<__m256>(x)));
  else return bits<F>(_mm_sqrt_ps(bits<__m128>(x)));
}
TAPESCOPE_INLINE D sqrt_of(D x) {
  if constexpr (kVectorBytes == 64) return bits<D>(_mm512_sqrt_pd(bits<__m512d>(x)));
  else if constexpr (kVectorBytes == 32) return bits<D>(_mm256_sqrt_pd(bits<__m256d>(x)));
  else return bits<D>(_mm_sqrt_pd(bits<__m128d>(x)));
}
#else
template <class V>
TAPESCOPE_INLINE V sqrt_of(V x) {
  for (i64 i = 0; i < kLanes<std::remove_cvref_t<decltype(x[0])>>; ++i) x[i] = sqrt_of(x[i]);
  return x;
}
#endif

}  // namespace
