// Loops over the functions of unary_functions.inl and binary_functions.inl, and the table of them, once per
// instruction set.

namespace {

using tapescope::kernels::Mode;

template <class Op, class V>
concept Generic = requires(V v) {
  Op::of(v, 0.0);
};
template <class Op, class V>
concept Generic2 = requires(V v) {
  Op::of(v, v, 0.0);
};
template <class Op>
concept FloatVector = requires(F v) {
  Op::vec(v, 0.0);
};
template <class Op>
concept FloatVector2 = requires(F v) {
  Op::vec(v, v, 0.0);
};
template <class A, class B>
constexpr bool kSame = __is_same(A, B);

// What is one instruction a vector costs less than the loop around it.
#define TAPESCOPE_UNROLLED _Pragma("GCC unroll 4")

template <class Op, class T>
void unary_loop(const void* from, void* to, i64 n, double param) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  constexpr i64 kStep = kLanes<T>;
  i64 i = 0;
  if constexpr (kSame<T, float> && FloatVector<Op>) {
    for (; i + kStep <= n; i += kStep) store(y + i, Op::vec(load<F>(x + i), param));
    if (i < n) store_first(y + i, n - i, Op::vec(load_first(x + i, n - i), param));
  } else if constexpr (Generic<Op, Vec<T>>) {
    TAPESCOPE_UNROLLED for (; i + kStep <= n; i += kStep) store(y + i, Op::of(load<Vec<T>>(x + i), param));
    for (; i < n; ++i) y[i] = Op::of(x[i], param);
  } else {
    for (; i < n; ++i) y[i] = Op::one(x[i], param);
  }
}

template <class Op, class T>
void test_loop(const void* from, void* to, i64 n, double param) {
  const T* x = static_cast<const T*>(from);
  std::uint8_t* y = static_cast<std::uint8_t*>(to);
  for (i64 i = 0; i < n; ++i) y[i] = Op::one(x[i], param);
}

// The operand at i: a vector of the array, or the one element in all lanes.
template <bool kScalar, class V, class T>
TAPESCOPE_INLINE V operand(const T* p, const V& all, i64 i) {
  if constexpr (kScalar) return all;
  else return load<V>(p + i);
}

template <class Op, class T, Mode kMode>
void binary_loop(const void* left, const void* right, void* to, i64 n, double param) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  T* y = static_cast<T*>(to);
  constexpr bool kA = kMode == Mode::scalar_vector, kB = kMode == Mode::vector_scalar;
  constexpr i64 kStep = kLanes<T>;
  using V = Vec<T>;
  i64 i = 0;
  if constexpr (kSame<T, float> && FloatVector2<Op>) {
    const V va = (kA ? a[0] : 0.f) - V{}, vb = (kB ? b[0] : 0.f) - V{};
    for (; i + kStep <= n; i += kStep)
      store(y + i, Op::vec(operand<kA>(a, va, i), operand<kB>(b, vb, i), param));
    if (i < n)
      store_first(y + i, n - i,
                  Op::vec(kA ? va : load_first(a + i, n - i), kB ? vb : load_first(b + i, n - i), param));
  } else if constexpr (Generic2<Op, V>) {
    if (n >= kStep) {
      const V va = (kA ? a[0] : T(0)) - V{}, vb = (kB ? b[0] : T(0)) - V{};
      TAPESCOPE_UNROLLED for (; i + kStep <= n; i += kStep)
          store(y + i, Op::of(operand<kA>(a, va, i), operand<kB>(b, vb, i), param));
    }
    for (; i < n; ++i) y[i] = Op::of(a[kA ? 0 : i], b[kB ? 0 : i], param);
  } else {
    for (; i < n; ++i) y[i] = Op::one(a[kA ? 0 : i], b[kB ? 0 : i], param);
  }
}

// y = (a f b) g c: what lies between is not stored.
template <class First, class Second, bool kB, bool kC>
void pair_loop(const void* left, const void* right, const void* third, void* to, i64 n) {
  const float *a = static_cast<const float*>(left), *b = static_cast<const float*>(right),
              *c = static_cast<const float*>(third);
  float* y = static_cast<float*>(to);
  constexpr i64 kStep = kLanes<float>;
  const F vb = b[0] - F{}, vc = c[0] - F{};
  i64 i = 0;
  TAPESCOPE_UNROLLED for (; i + kStep <= n; i += kStep) {
    store(y + i,
          Second::of(First::of(load<F>(a + i), operand<kB>(b, vb, i), 0.0), operand<kC>(c, vc, i), 0.0));
  }
  for (; i < n; ++i) y[i] = Second::of(First::of(a[i], b[kB ? 0 : i], 0.0), c[kC ? 0 : i], 0.0);
}

// Lanes of -1 or 0 become bytes of 1 or 0.
typedef std::int8_t FloatBytes __attribute__((vector_size(kLanes<float>)));
typedef std::int8_t DoubleBytes __attribute__((vector_size(kLanes<double>)));
TAPESCOPE_INLINE FloatBytes true_bytes(I mask) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32) {
    const __m256i m = bits<__m256i>(mask);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    const i64 bytes = _mm_cvtsi128_si64(_mm_packs_epi16(words, words)) & 0x0101010101010101;
    return bits<FloatBytes>(bytes);
  }
#endif
  return -__builtin_convertvector(mask, FloatBytes);
}
TAPESCOPE_INLINE DoubleBytes true_bytes(L mask) { return -__builtin_convertvector(mask, DoubleBytes); }

template <class Op, class T, Mode kMode>
void compare_loop(const void* left, const void* right, void* to, i64 n, double) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  std::uint8_t* y = static_cast<std::uint8_t*>(to);
  constexpr bool kA = kMode == Mode::scalar_vector, kB = kMode == Mode::vector_scalar;
  i64 i = 0;
  if constexpr (sizeof(T) >= 4) {
    using V = Vec<T>;
    const V va = (kA ? a[0] : T(0)) - V{}, vb = (kB ? b[0] : T(0)) - V{};
    for (; i + kLanes<T> <= n; i += kLanes<T>) {
      store(y + i, true_bytes(Op::of(operand<kA>(a, va, i), operand<kB>(b, vb, i))));
    }
  }
  for (; i < n; ++i) y[i] = Op::of(a[kA ? 0 : i], b[kB ? 0 : i]);
}

using tapescope::DType;
using tapescope::kernels::BinaryOp;
using tapescope::kernels::Elements;
using tapescope::kernels::MapTable;
using tapescope::kernels::UnaryOp;
using tapescope::kernels::Work;

template <class T>
constexpr int kIndex = static_cast<int>(kSame<T, float>                                     ? DType::f32
                                        : kSame<T, double>                                  ? DType::f64
                                        : kSame<T, std::int32_t> || kSame<T, std::uint32_t> ? DType::i32
                                        : kSame<T, i64> || kSame<T, std::uint64_t>          ? DType::i64
                                                                                            : DType::boolean);

template <class Op, class... Ts>
constexpr void add_unary(MapTable& t, UnaryOp op) {
  ((t.unary[static_cast<int>(op)][kIndex<Ts>] = unary_loop<Op, Ts>), ...);
}
template <class Op, class... Ts>
constexpr void add_test(MapTable& t, UnaryOp op) {
  ((t.unary[static_cast<int>(op)][kIndex<Ts>] = test_loop<Op, Ts>), ...);
}
template <class Op, class... Ts>
constexpr void add_binary(MapTable& t, BinaryOp op) {
  auto& row = t.binary[static_cast<int>(op)];
  ((row[0][kIndex<Ts>] = binary_loop<Op, Ts, Mode::vector_vector>,
    row[1][kIndex<Ts>] = binary_loop<Op, Ts, Mode::scalar_vector>,
    row[2][kIndex<Ts>] = binary_loop<Op, Ts, Mode::vector_scalar>),
   ...);
}
template <class Op, class... Ts>
constexpr void add_compare(MapTable& t, BinaryOp op) {
  auto& row = t.binary[static_cast<int>(op)];
  ((row[0][kIndex<Ts>] = compare_loop<Op, Ts, Mode::vector_vector>,
    row[1][kIndex<Ts>] = compare_loop<Op, Ts, Mode::scalar_vector>,
    row[2][kIndex<Ts>] = compare_loop<Op, Ts, Mode::vector_scalar>),
   ...);
}

// The loops of a function for its element types; half types go through float's. With vectors of 64 bytes
// those of polynomials alone: what waits for memory gains nothing.
template <Work kWork>
constexpr bool kHasLoops = kVectorBytes < 64 || kWork == Work::polynomial;
template <class Op, Elements kElements>
constexpr void add_row(MapTable& t, UnaryOp op) {
  if constexpr (kElements == Elements::real) add_unary<Op, float, double>(t, op);
  else if constexpr (kElements == Elements::numeric) add_unary<Op, float, double, std::int32_t, i64>(t, op);
  else if constexpr (kElements == Elements::wrapping)
    add_unary<Op, float, double, std::uint32_t, std::uint64_t>(t, op);
  else if constexpr (kElements == Elements::test) add_test<Op, float, double>(t, op);
  else if constexpr (kElements == Elements::truth) add_test<Op, std::uint8_t>(t, op);
  else static_assert(kElements == Elements::real, "these elements are those of two arguments");
}
template <class Op, Elements kElements>
constexpr void add_row(MapTable& t, BinaryOp op) {
  if constexpr (kElements == Elements::real) add_binary<Op, float, double>(t, op);
  else if constexpr (kElements == Elements::numeric) add_binary<Op, float, double, std::int32_t, i64>(t, op);
  else if constexpr (kElements == Elements::wrapping)
    add_binary<Op, float, double, std::uint32_t, std::uint64_t>(t, op);
  else if constexpr (kElements == Elements::compare) add_compare<Op, float, double, std::int32_t, i64>(t, op);
  else if constexpr (kElements == Elements::equality)
    add_compare<Op, float, double, std::int32_t, i64, std::uint8_t>(t, op);
  else if constexpr (kElements == Elements::logic) add_compare<Op, std::uint8_t>(t, op);
  else static_assert(kElements == Elements::real, "these elements are those of one argument");
}

constexpr void add_functions(MapTable& t) {
#define TAPESCOPE_ADD(code, Function, elements, flops, work) \
  if constexpr (kHasLoops<Work::work>) add_row<Function, Elements::elements>(t, UnaryOp::code);
  TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_ADD)
#undef TAPESCOPE_ADD
#define TAPESCOPE_ADD(code, Function, elements, flops, work) \
  if constexpr (kHasLoops<Work::work>) add_row<Function, Elements::elements>(t, BinaryOp::code);
  TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_ADD)
#undef TAPESCOPE_ADD
}

template <class First, class Second>
constexpr void add_pair(MapTable& t, BinaryOp first, BinaryOp second) {
  auto& of = t.pair[static_cast<int>(first)];
  const int g = static_cast<int>(second);
  of[0][g][0] = pair_loop<First, Second, false, false>;
  of[0][g][1] = pair_loop<First, Second, false, true>;
  of[1][g][0] = pair_loop<First, Second, true, false>;
  of[1][g][1] = pair_loop<First, Second, true, true>;
}
template <class First>
constexpr void add_pairs(MapTable& t, BinaryOp first) {
  add_pair<First, Add>(t, first, BinaryOp::add);
  add_pair<First, Sub>(t, first, BinaryOp::sub);
  add_pair<First, Mul>(t, first, BinaryOp::mul);
}

constexpr MapTable make_map_table() {
  MapTable t;
  add_functions(t);
  if constexpr (kVectorBytes < 64) {
    add_convert_rows(t);
    add_pairs<Add>(t, BinaryOp::add);
    add_pairs<Sub>(t, BinaryOp::sub);
    add_pairs<Mul>(t, BinaryOp::mul);
  }
  return t;
}

}  // namespace
