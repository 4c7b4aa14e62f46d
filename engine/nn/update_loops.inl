// Bodies of the updates, for files that are compiled once per instruction set. The includer has
// engine/kernels/half_vectors.inl and engine/core/half.h included before; everything is in an unnamed
// namespace, as there.

namespace {

namespace updates = tapescope::updates;

// Conversions of single numbers. The processor's own take no branch: gradients near the end of float16's
// range would make those of software guess wrong at every other element.
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
template <class H>
struct Rounding {
  H value;
  Rounding() = default;
  TAPESCOPE_INLINE explicit Rounding(double number) { narrow(static_cast<float>(number), value); }
  TAPESCOPE_INLINE explicit Rounding(float number) { narrow(number, value); }
  friend TAPESCOPE_INLINE Rounding operator+(Rounding a, Rounding b) {
    return Rounding(widened(a.value) + widened(b.value));
  }
  friend TAPESCOPE_INLINE Rounding operator-(Rounding a, Rounding b) {
    return Rounding(widened(a.value) - widened(b.value));
  }
  friend TAPESCOPE_INLINE Rounding operator*(Rounding a, Rounding b) {
    return Rounding(widened(a.value) * widened(b.value));
  }
  friend TAPESCOPE_INLINE Rounding operator/(Rounding a, Rounding b) {
    return Rounding(widened(a.value) / widened(b.value));
  }
  friend TAPESCOPE_INLINE bool operator>(Rounding a, Rounding b) {
    return widened(a.value) > widened(b.value);
  }
  friend TAPESCOPE_INLINE Rounding sqrt_of(Rounding x) { return Rounding(__builtin_sqrtf(widened(x.value))); }
};
using F16 = Rounding<tapescope::Half>;
using BF16 = Rounding<tapescope::BFloat16>;

TAPESCOPE_INLINE F widened(Words words, tapescope::Half) { return widen_half(words); }
TAPESCOPE_INLINE F widened(Words words, tapescope::BFloat16) { return widen_bfloat(words); }
TAPESCOPE_INLINE Words narrowed(F x, tapescope::Half) { return narrow_half(x); }
TAPESCOPE_INLINE Words narrowed(F x, tapescope::BFloat16) { return narrow_bfloat(x); }
TAPESCOPE_INLINE F rounded_to(F x, tapescope::Half) { return widen_half(narrow_half(x)); }
TAPESCOPE_INLINE F rounded_to(F x, tapescope::BFloat16) {
  return bits<F>(rounded_to_bfloat(x) & 0xffff0000u);
}

// As many of them as a vector of float32 has lanes. They stay float32 between the operations, each rounded to
// its type.
template <class H>
struct RoundingLanes {
  F value;
  static TAPESCOPE_INLINE RoundingLanes of(Words words) { return {widened(words, H())}; }
  TAPESCOPE_INLINE Words words() const { return narrowed(value, H()); }
  static TAPESCOPE_INLINE RoundingLanes rounded(F x) { return {rounded_to(x, H())}; }
  friend TAPESCOPE_INLINE RoundingLanes operator+(RoundingLanes a, RoundingLanes b) {
    return rounded(a.value + b.value);
  }
  friend TAPESCOPE_INLINE RoundingLanes operator-(RoundingLanes a, RoundingLanes b) {
    return rounded(a.value - b.value);
  }
  friend TAPESCOPE_INLINE RoundingLanes operator*(RoundingLanes a, RoundingLanes b) {
    return rounded(a.value * b.value);
  }
  friend TAPESCOPE_INLINE RoundingLanes operator/(RoundingLanes a, RoundingLanes b) {
    return rounded(a.value / b.value);
  }
  friend TAPESCOPE_INLINE RoundingLanes sqrt_of(RoundingLanes x) { return rounded(sqrt_of(x.value)); }
};

// What an update works with: vectors, or for half types vectors of wider numbers.
template <class T>
struct Lanes {
  using V = Vec<T>;
  static constexpr i64 kCount = kLanes<T>;
};
template <class H>
struct Lanes<Rounding<H>> {
  using V = RoundingLanes<H>;
  static constexpr i64 kCount = kLanes<float>;
};

template <class V>
struct Access {
  template <class T>
  static TAPESCOPE_INLINE V get(const T* from) {
    return load<V>(from);
  }
  template <class T>
  static TAPESCOPE_INLINE void put(T* to, V v) {
    store(to, v);
  }
  // A number in every lane; kept out of the loops.
  template <class T>
  static TAPESCOPE_INLINE V all(T value) {
    if constexpr (sizeof(V) == sizeof(T)) return value;
    else return V{} + value;
  }
  static TAPESCOPE_INLINE V larger(V a, V b) { return a > b ? a : b; }
};
template <class H>
struct Access<RoundingLanes<H>> {
  using V = RoundingLanes<H>;
  static TAPESCOPE_INLINE V get(const Rounding<H>* from) { return V::of(load<Words>(from)); }
  static TAPESCOPE_INLINE void put(Rounding<H>* to, V v) { store(to, v.words()); }
  static TAPESCOPE_INLINE V all(Rounding<H> value) { return {F{} + widened(value.value)}; }
  static TAPESCOPE_INLINE V larger(V a, V b) { return {a.value > b.value ? a.value : b.value}; }
};

template <class V, class T>
TAPESCOPE_INLINE V get(const T* from) {
  return Access<V>::get(from);
}
template <class V, class T>
TAPESCOPE_INLINE void put(T* to, V v) {
  Access<V>::put(to, v);
}
template <class V, class T>
TAPESCOPE_INLINE V lanes(T value) {
  return Access<V>::all(value);
}

// Calls body.at<V>(i): vectors as far as they reach, single elements for the rest.
template <class T, class Body>
TAPESCOPE_INLINE void each_vector(i64 n, const Body& body) {
  i64 i = 0;
  for (; i + Lanes<T>::kCount <= n; i += Lanes<T>::kCount) body.template at<typename Lanes<T>::V>(i);
  for (; i < n; ++i) body.template at<T>(i);
}

template <class T, bool kMomentum, bool kNesterov>
struct SgdBody {
  T *w, *v;
  const T* g;
  T lr, momentum;
  template <class V>
  TAPESCOPE_INLINE void at(i64 i) const {
    const V change = get<V>(g + i) * lanes<V>(lr);
    if constexpr (!kMomentum) {
      put(w + i, get<V>(w + i) - change);
    } else {
      const V velocity = get<V>(v + i) * lanes<V>(momentum) - change;
      put(v + i, velocity);
      if constexpr (kNesterov) put(w + i, get<V>(w + i) + (velocity * lanes<V>(momentum) - change));
      else put(w + i, get<V>(w + i) + velocity);
    }
  }
};

template <class T, bool kMax>
struct AdamBody {
  T *w, *m, *v, *largest;
  const T* g;
  T alpha, rest1, rest2, epsilon;
  template <class V>
  TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = get<V>(g + i);
    V mean = get<V>(m + i), variance = get<V>(v + i);
    mean = mean + (gradient - mean) * lanes<V>(rest1);
    variance = variance + (gradient * gradient - variance) * lanes<V>(rest2);
    put(m + i, mean);
    put(v + i, variance);
    if constexpr (kMax) {
      variance = Access<V>::larger(get<V>(largest + i), variance);
      put(largest + i, variance);
    }
    put(w + i, get<V>(w + i) - mean * lanes<V>(alpha) / (sqrt_of(variance) + lanes<V>(epsilon)));
  }
};

template <class T, bool kCentered, bool kMomentum>
struct RmsPropBody {
  T *w, *v, *momentum, *mean;
  const T* g;
  T lr, rho, rest, keep, epsilon;
  template <class V>
  TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = get<V>(g + i);
    const V square = get<V>(v + i) * lanes<V>(rho) + gradient * gradient * lanes<V>(rest);
    put(v + i, square);
    V under = square + lanes<V>(epsilon);
    if constexpr (kCentered) {
      const V average = get<V>(mean + i) * lanes<V>(rho) + gradient * lanes<V>(rest);
      put(mean + i, average);
      under = square - average * average + lanes<V>(epsilon);
    }
    V change = gradient * lanes<V>(lr) / sqrt_of(under);
    if constexpr (kMomentum) {
      change = get<V>(momentum + i) * lanes<V>(keep) + change;
      put(momentum + i, change);
    }
    put(w + i, get<V>(w + i) - change);
  }
};

template <class T>
struct AdagradBody {
  T *w, *sum;
  const T* g;
  T lr, epsilon;
  template <class V>
  TAPESCOPE_INLINE void at(i64 i) const {
    const V gradient = get<V>(g + i);
    const V total = get<V>(sum + i) + gradient * gradient;
    put(sum + i, total);
    put(w + i, get<V>(w + i) - gradient * lanes<V>(lr) / sqrt_of(total + lanes<V>(epsilon)));
  }
};

template <class T>
struct DecayBody {
  T* w;
  T amount;
  template <class V>
  TAPESCOPE_INLINE void at(i64 i) const {
    const V value = get<V>(w + i);
    put(w + i, value - value * lanes<V>(amount));
  }
};

template <class T>
TAPESCOPE_INLINE T* as(void* pointer) {
  return static_cast<T*>(pointer);
}
template <class T>
TAPESCOPE_INLINE const T* as(const void* pointer) {
  return static_cast<const T*>(pointer);
}

template <class T>
void sgd(const updates::Sgd& u, const updates::Arrays& a) {
  const T lr = T(u.lr), momentum = T(u.momentum);
  T *w = as<T>(a.w), *v = as<T>(a.slot[0]);
  const T* g = as<T>(a.g);
  if (v == nullptr) each_vector<T>(a.n, SgdBody<T, false, false>{w, v, g, lr, momentum});
  else if (u.nesterov) each_vector<T>(a.n, SgdBody<T, true, true>{w, v, g, lr, momentum});
  else each_vector<T>(a.n, SgdBody<T, true, false>{w, v, g, lr, momentum});
}

template <class T>
void adam(const updates::Adam& u, const updates::Arrays& a) {
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
template <class T>
void rmsprop(const updates::RmsProp& u, const updates::Arrays& a) {
  if (a.slot[2] && a.slot[1]) rmsprop_case<T, true, true>(u, a);
  else if (a.slot[2]) rmsprop_case<T, true, false>(u, a);
  else if (a.slot[1]) rmsprop_case<T, false, true>(u, a);
  else rmsprop_case<T, false, false>(u, a);
}

template <class T>
void adagrad(const updates::Adagrad& u, const updates::Arrays& a) {
  each_vector<T>(a.n, AdagradBody<T>{as<T>(a.w), as<T>(a.slot[0]), as<T>(a.g), T(u.lr), T(u.epsilon)});
}

template <class T>
void decay(double amount, const updates::Arrays& a) {
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
