// Bodies of the updates, for files that are compiled once per instruction set. The includer has
// engine/kernels/vector.inl and engine/core/half.h included before; everything is in an unnamed namespace, as there.

namespace {

namespace updates = tapescope::updates;

// Conversions of single numbers. The processor's own take no branch: gradients near the end of float16's range would
// make those of software guess wrong at every other element.
TAPESCOPE_INLINE float widened(tapescope::Half h) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) return _cvtsh_ss(h.bits);
#endif
  return float(h);
}
TAPESCOPE_INLINE void narrow(float x, tapescope::Half& h) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) {
    h.bits = _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
    return;
  }
#endif
  h = tapescope::Half(x);
}
TAPESCOPE_INLINE float widened(tapescope::BFloat16 b) { return float(b); }
TAPESCOPE_INLINE void narrow(float x, tapescope::BFloat16& b) { b = tapescope::BFloat16(x); }

// A half type that rounds after every operation.
template <class H> struct Rounding {
  H value;
  Rounding() = default;
  TAPESCOPE_INLINE explicit Rounding(double number) { narrow(static_cast<float>(number), value); }
  TAPESCOPE_INLINE explicit Rounding(float number) { narrow(number, value); }
  friend TAPESCOPE_INLINE Rounding operator+(Rounding a, Rounding b) { return Rounding(widened(a.value) + widened(b.value)); }
  friend TAPESCOPE_INLINE Rounding operator-(Rounding a, Rounding b) { return Rounding(widened(a.value) - widened(b.value)); }
  friend TAPESCOPE_INLINE Rounding operator*(Rounding a, Rounding b) { return Rounding(widened(a.value) * widened(b.value)); }
  friend TAPESCOPE_INLINE Rounding operator/(Rounding a, Rounding b) { return Rounding(widened(a.value) / widened(b.value)); }
  friend TAPESCOPE_INLINE bool operator>(Rounding a, Rounding b) { return widened(a.value) > widened(b.value); }
  friend TAPESCOPE_INLINE Rounding sqrt_of(Rounding x) { return Rounding(__builtin_sqrtf(widened(x.value))); }
};
using F16 = Rounding<tapescope::Half>;
using BF16 = Rounding<tapescope::BFloat16>;

// Calls body.at<V>(i): vectors as far as they reach, single elements for the rest and for half types.
template <class T, class Body> TAPESCOPE_INLINE void each_vector(i64 n, const Body& body) {
  i64 i = 0;
  if constexpr (std::is_floating_point_v<T>) {
    for (; i + kLanes<T> <= n; i += kLanes<T>) body.template at<Vec<T>>(i);
  }
  for (; i < n; ++i) body.template at<T>(i);
}

// A number in every lane; kept out of the loops.
template <class V, class T> TAPESCOPE_INLINE V lanes(T value) {
  if constexpr (sizeof(V) == sizeof(T)) return value;
  else return V{} + value;
}

template <class T, bool kMomentum, bool kNesterov> struct SgdBody {
  T *w, *v;
  const T* g;
  T lr, momentum;
  template <class V> TAPESCOPE_INLINE void at(i64 i) const {
    const V change = load<V>(g + i) * lanes<V>(lr);
    if constexpr (!kMomentum) {
      store(w + i, load<V>(w + i) - change);
    } else {
      const V velocity = load<V>(v + i) * lanes<V>(momentum) - change;
      store(v + i, velocity);
      if constexpr (kNesterov) store(w + i, load<V>(w + i) + (velocity * lanes<V>(momentum) - change));
      else store(w + i, load<V>(w + i) + velocity);
    }
  }
};

template <class T, bool kMax> struct AdamBody {
  T *w, *m, *v, *largest;
  const T* g;
  T alpha, rest1, rest2, epsilon;
  template <class V> TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = load<V>(g + i);
    V mean = load<V>(m + i), variance = load<V>(v + i);
    mean = mean + (gradient - mean) * lanes<V>(rest1);
    variance = variance + (gradient * gradient - variance) * lanes<V>(rest2);
    store(m + i, mean);
    store(v + i, variance);
    if constexpr (kMax) {
      const V before = load<V>(largest + i);
      variance = before > variance ? before : variance;
      store(largest + i, variance);
    }
    store(w + i, load<V>(w + i) - mean * lanes<V>(alpha) / (sqrt_of(variance) + lanes<V>(epsilon)));
  }
};

template <class T, bool kCentered, bool kMomentum> struct RmsPropBody {
  T *w, *v, *momentum, *mean;
  const T* g;
  T lr, rho, rest, keep, epsilon;
  template <class V> TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = load<V>(g + i);
    const V square = load<V>(v + i) * lanes<V>(rho) + gradient * gradient * lanes<V>(rest);
    store(v + i, square);
    V under = square + lanes<V>(epsilon);
    if constexpr (kCentered) {
      const V average = load<V>(mean + i) * lanes<V>(rho) + gradient * lanes<V>(rest);
      store(mean + i, average);
      under = square - average * average + lanes<V>(epsilon);
    }
    V change = gradient * lanes<V>(lr) / sqrt_of(under);
    if constexpr (kMomentum) {
      change = load<V>(momentum + i) * lanes<V>(keep) + change;
      store(momentum + i, change);
    }
    store(w + i, load<V>(w + i) - change);
  }
};

template <class T> struct AdagradBody {
  T *w, *sum;
  const T* g;
  T lr, epsilon;
  template <class V> TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = load<V>(g + i);
    const V total = load<V>(sum + i) + gradient * gradient;
    store(sum + i, total);
    store(w + i, load<V>(w + i) - gradient * lanes<V>(lr) / sqrt_of(total + lanes<V>(epsilon)));
  }
};

template <class T> struct DecayBody {
  T* w;
  T amount;
  template <class V> TAPESCOPE_INLINE void at(i64 i) const {
    const V value = load<V>(w + i);
    store(w + i, value - value * lanes<V>(amount));
  }
};

template <class T> TAPESCOPE_INLINE T* as(void* pointer) { return static_cast<T*>(pointer); }
template <class T> TAPESCOPE_INLINE const T* as(const void* pointer) { return static_cast<const T*>(pointer); }

template <class T> void sgd(const updates::Sgd& u, const updates::Arrays& a) {
  const T lr = T(u.lr), momentum = T(u.momentum);
  T *w = as<T>(a.w), *v = as<T>(a.slot[0]);
  const T* g = as<T>(a.g);
  if (v == nullptr) each_vector<T>(a.n, SgdBody<T, false, false>{w, v, g, lr, momentum});
  else if (u.nesterov) each_vector<T>(a.n, SgdBody<T, true, true>{w, v, g, lr, momentum});
  else each_vector<T>(a.n, SgdBody<T, true, false>{w, v, g, lr, momentum});
}

template <class T> void adam(const updates::Adam& u, const updates::Arrays& a) {
  const T alpha = T(u.alpha), rest1 = T(u.rest1), rest2 = T(u.rest2), epsilon = T(u.epsilon);
  T *w = as<T>(a.w), *m = as<T>(a.slot[0]), *v = as<T>(a.slot[1]), *largest = as<T>(a.slot[2]);
  const T* g = as<T>(a.g);
  if (largest) each_vector<T>(a.n, AdamBody<T, true>{w, m, v, largest, g, alpha, rest1, rest2, epsilon});
  else each_vector<T>(a.n, AdamBody<T, false>{w, m, v, largest, g, alpha, rest1, rest2, epsilon});
}

template <class T, bool kCentered, bool kMomentum>
TAPESCOPE_INLINE void rmsprop_case(const updates::RmsProp& u, const updates::Arrays& a) {
  each_vector<T>(a.n, RmsPropBody<T, kCentered, kMomentum>{as<T>(a.w), as<T>(a.slot[0]), as<T>(a.slot[1]),
                                                          as<T>(a.slot[2]), as<T>(a.g), T(u.lr), T(u.rho),
                                                          T(1 - u.rho), T(u.momentum), T(u.epsilon)});
}
template <class T> void rmsprop(const updates::RmsProp& u, const updates::Arrays& a) {
  if (a.slot[2] && a.slot[1]) rmsprop_case<T, true, true>(u, a);
  else if (a.slot[2]) rmsprop_case<T, true, false>(u, a);
  else if (a.slot[1]) rmsprop_case<T, false, true>(u, a);
  else rmsprop_case<T, false, false>(u, a);
}

template <class T> void adagrad(const updates::Adagrad& u, const updates::Arrays& a) {
  each_vector<T>(a.n, AdagradBody<T>{as<T>(a.w), as<T>(a.slot[0]), as<T>(a.g), T(u.lr), T(u.epsilon)});
}

template <class T> void decay(double amount, const updates::Arrays& a) {
  each_vector<T>(a.n, DecayBody<T>{as<T>(a.w), T(amount)});
}

constexpr updates::Table make_update_table() {
  return {{sgd<float>, sgd<double>, sgd<F16>, sgd<BF16>},
          {adam<float>, adam<double>, adam<F16>, adam<BF16>},
          {rmsprop<float>, rmsprop<double>, rmsprop<F16>, rmsprop<BF16>},
          {adagrad<float>, adagrad<double>, adagrad<F16>, adagrad<BF16>},
          {decay<float>, decay<double>, decay<F16>, decay<BF16>}};
}

}  // namespace
