// Loops over a row of softmax, for files that are compiled once per instruction set. The includer has
// engine/kernels/vector.inl and polynomials.inl included before; everything is in an unnamed namespace, as
// there.

namespace {

// Sixteen neighbours, whatever the width of a vector: sums have the same partial sums everywhere.
constexpr i64 kSpan = 16, kSpanVectors = kSpan / kLanes<float>;
struct Span {
  F v[kSpanVectors];
};

// One result for each place of the inputs.
template <class Body, class... In>
TAPESCOPE_INLINE Span each(Body body, const In&... in) {
  Span r;
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) r.v[k] = body(in.v[k]...);
  return r;
}

TAPESCOPE_INLINE Span all(float value) {
  return each([value](F v) { return value + v; }, Span{});
}
TAPESCOPE_INLINE Span span_at(const float* from) {
  Span s;
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) s.v[k] = load<F>(from + k * kLanes<float>);
  return s;
}
TAPESCOPE_INLINE void put(float* to, const Span& s) {
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) store(to + k * kLanes<float>, s.v[k]);
}

// Set in the first n places when read from kFirst + kSpan - n.
constexpr std::int32_t kFirst[2 * kSpan] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
TAPESCOPE_INLINE I first_mask(i64 k, i64 n) { return load<I>(kFirst + kSpan - n + k * kLanes<float>); }

// The first n < kSpan, then `rest`; nothing beyond them is read or written.
TAPESCOPE_INLINE Span first_at(const float* from, i64 n, float rest) {
  Span s;
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) {
    const float* const place = from + k * kLanes<float>;
    const I mask = first_mask(k, n);
    F x{};
#if defined(__x86_64__)
    if constexpr (kVectorBytes == 64) x = load_first(place, n);
    else if constexpr (kVectorBytes == 32) x = bits<F>(_mm256_maskload_ps(place, bits<__m256i>(mask)));
    else
#endif
      for (i64 i = 0; i < kLanes<float>; ++i)
        if (mask[i]) x[i] = place[i];
    s.v[k] = choose(mask != 0, x, rest + F{});
  }
  return s;
}
TAPESCOPE_INLINE void put_first(float* to, i64 n, const Span& s) {
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) {
    float* const place = to + k * kLanes<float>;
    const I mask = first_mask(k, n);
#if defined(__x86_64__)
    if constexpr (kVectorBytes == 64) store_first(place, n, s.v[k]);
    else if constexpr (kVectorBytes == 32)
      _mm256_maskstore_ps(place, bits<__m256i>(mask), bits<__m256>(s.v[k]));
    else
#endif
      for (i64 i = 0; i < kLanes<float>; ++i)
        if (mask[i]) place[i] = s.v[k][i];
  }
}

// `s` in the first n places.
TAPESCOPE_INLINE Span only_first(const Span& s, i64 n) {
  Span r;
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) r.v[k] = choose(first_mask(k, n) != 0, s.v[k], F{});
  return r;
}

// Joins places i and i + 8, then i and i + 4, i + 2, i + 1.
template <class Join>
TAPESCOPE_INLINE float joined(const Span& s, Join join) {
  F v[kSpanVectors];
#pragma GCC unroll 4
  for (i64 k = 0; k < kSpanVectors; ++k) v[k] = s.v[k];
#pragma GCC unroll 2
  for (i64 width = kSpanVectors / 2; width > 0; width /= 2) {
#pragma GCC unroll 2
    for (i64 k = 0; k < width; ++k) v[k] = join(v[k], v[k + width]);
  }
  Quad q;
  if constexpr (kVectorBytes == 64) {
    struct Quads {
      Quad q[4];
    };
    const auto [quads] = bits<Quads>(v[0]);
    q = join(join(quads[0], quads[2]), join(quads[1], quads[3]));
  } else if constexpr (kVectorBytes == 32) {
    const Pair halves = bits<Pair>(v[0]);
    q = join(halves.low, halves.high);
  } else {
    q = bits<Quad>(v[0]);
  }
  return join(join(q[0], q[2]), join(q[1], q[3]));
}
struct Sum {
  template <class V>
  TAPESCOPE_INLINE V operator()(V a, V b) const {
    return a + b;
  }
};
struct Larger {
  template <class V>
  TAPESCOPE_INLINE V operator()(V a, V b) const {
    return choose(b > a, b, a);
  }
};

// to = body(x...) for n elements.
template <class Body, class... In>
TAPESCOPE_INLINE void map_row(i64 n, float* to, Body body, const In*... x) {
  i64 i = 0;
  for (; i + kSpan <= n; i += kSpan) put(to + i, each(body, span_at(x + i)...));
  if (i < n) put_first(to + i, n - i, each(body, first_at(x + i, n - i, 0)...));
}

// The sum of body(x...) over n elements; body gives 0 for zeros.
template <class Body, class... In>
TAPESCOPE_INLINE float sum_row(i64 n, Body body, const In*... x) {
  Span sums{};
  i64 i = 0;
  for (; i + kSpan <= n; i += kSpan) sums = each(Sum(), sums, each(body, span_at(x + i)...));
  if (i < n) sums = each(Sum(), sums, each(body, first_at(x + i, n - i, 0)...));
  return joined(sums, Sum());
}

inline float largest_of(const float* x, i64 n) {
  Span most = all(x[0]);
  i64 i = 0;
  for (; i + kSpan <= n; i += kSpan) most = each(Larger(), most, span_at(x + i));
  if (i < n) most = each(Larger(), most, first_at(x + i, n - i, x[0]));
  return joined(most, Larger());
}

inline float exponentials(const float* x, i64 n, float largest, float* e) {
  const auto of = [largest](F v) { return exp_of(v - largest); };
  Span sums{};
  i64 i = 0;
  for (; i + kSpan <= n; i += kSpan) {
    const Span made = each(of, span_at(x + i));
    put(e + i, made);
    sums = each(Sum(), sums, made);
  }
  if (i < n) {
    const Span made = each(of, first_at(x + i, n - i, largest));
    put_first(e + i, n - i, made);
    sums = each(Sum(), sums, only_first(made, n - i));
  }
  return joined(sums, Sum());
}

// Returns the sum of the exponentials.
inline float softmax(const float* x, i64 n, float* y, float* largest) {
  if (n < kSpan) {  // all in registers
    const Span row = first_at(x, n, x[0]);
    const float most = *largest = joined(row, Larger());
    const Span e = each([most](F v) { return exp_of(v - most); }, row);
    const float sum = joined(only_first(e, n), Sum());
    put_first(y, n, each([sum](F v) { return v / sum; }, e));
    return sum;
  }
  *largest = largest_of(x, n);
  const float sum = exponentials(x, n, *largest, y);
  map_row(
      n, y, [sum](F v) { return v / sum; }, y);
  return sum;
}
inline void shift(const float* x, i64 n, float largest, float log_sum, float* y) {
  map_row(
      n, y, [=](F v) { return v - largest - log_sum; }, x);
}
inline float sum_of(const float* x, i64 n) {
  return sum_row(
      n, [](F v) { return v; }, x);
}
inline float dot_of(const float* x, const float* y, i64 n) {
  return sum_row(
      n, [](F a, F b) { return a * b; }, x, y);
}
inline void grad(const float* y, const float* g, i64 n, float sum, float* to) {
  map_row(
      n, to, [sum](F v, F d) { return (d - sum) * v; }, y, g);
}
inline void log_grad(const float* y, const float* g, i64 n, float sum, float* to) {
  map_row(
      n, to, [sum](F v, F d) { return d - sum * exp_of(v); }, y, g);
}
inline float cross_entropy(const float* x, const float* labels, i64 n, float largest, float log_sum,
                           float* p) {
  const float loss = sum_row(
      n, [=](F v, F label) { return choose(label == 0.f, F{}, label * (log_sum - (v - largest))); }, x,
      labels);
  map_row(
      n, p, [](F v, F label) { return v - label; }, p, labels);
  return loss;
}

constexpr tapescope::kernels::SoftmaxTable make_softmax_table() {
  return {softmax, largest_of, exponentials, shift, sum_of, dot_of, grad, log_grad, cross_entropy};
}

}  // namespace
