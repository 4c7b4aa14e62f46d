// The elementwise functions of two arguments: the table of them, and a struct that computes each. As
// unary_functions.inl, which comes before it.

#ifndef TAPESCOPE_BINARY_FUNCTIONS
// The code in BinaryOp and columns as in unary_functions.inl. Those that end in _grad take an output or input
// of the forward op and a cotangent; ops/elementwise.h has their order.
#define TAPESCOPE_BINARY_FUNCTIONS(ROW)                           \
  ROW(add, Add, wrapping, 1, memory)                              \
  ROW(sub, Sub, wrapping, 1, memory)                              \
  ROW(mul, Mul, wrapping, 1, memory)                              \
  ROW(div, Div, real, 1, memory)                                  \
  ROW(div_no_nan, DivNoNan, real, 1, memory)                      \
  ROW(floor_div, FloorDiv, numeric, 1, memory)                    \
  ROW(floor_mod, FloorMod, numeric, 1, library)                   \
  ROW(pow, Pow, numeric, 10, library)                             \
  ROW(maximum, Maximum, numeric, 1, memory)                       \
  ROW(minimum, Minimum, numeric, 1, memory)                       \
  ROW(squared_difference, SquaredDifference, wrapping, 2, memory) \
  ROW(atan2, Atan2, real, 10, library)                            \
  ROW(xlogy, Xlogy, real, 10, polynomial)                         \
  ROW(xdivy, Xdivy, real, 1, memory)                              \
  ROW(xlog1py, Xlog1py, real, 10, polynomial)                     \
  ROW(polygamma, Polygamma, real, 10, library)                    \
  ROW(sqrt_grad, SqrtGrad, real, 2, memory)                       \
  ROW(rsqrt_grad, RsqrtGrad, real, 4, memory)                     \
  ROW(reciprocal_grad, ReciprocalGrad, real, 1, memory)           \
  ROW(tanh_grad, TanhGrad, real, 3, memory)                       \
  ROW(sigmoid_grad, SigmoidGrad, real, 3, memory)                 \
  ROW(relu_grad, ReluGrad, real, 1, memory)                       \
  ROW(relu6_grad, Relu6Grad, real, 1, memory)                     \
  ROW(leaky_relu_grad, LeakyReluGrad, real, 1, memory)            \
  ROW(elu_grad, EluGrad, real, 1, memory)                         \
  ROW(selu_grad, SeluGrad, real, 1, memory)                       \
  ROW(softplus_grad, SoftplusGrad, real, 10, polynomial)          \
  ROW(softsign_grad, SoftsignGrad, real, 3, memory)               \
  ROW(less, Less, compare, 1, memory)                             \
  ROW(less_equal, LessEqual, compare, 1, memory)                  \
  ROW(greater, Greater, compare, 1, memory)                       \
  ROW(greater_equal, GreaterEqual, compare, 1, memory)            \
  ROW(equal, Equal, equality, 1, memory)                          \
  ROW(not_equal, NotEqual, equality, 1, memory)                   \
  ROW(logical_and, LogicalAnd, logic, 1, memory)                  \
  ROW(logical_or, LogicalOr, logic, 1, memory)
#endif

#ifdef TAPESCOPE_INLINE  // vector.inl
namespace {

struct Add {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a + b;
  }
};
struct Sub {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a - b;
  }
};
struct Mul {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a * b;
  }
};
struct Div {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a / b;
  }
};
struct DivNoNan {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return choose(b == V{}, V{}, a / b);
  }
};
// Of two NaNs or a NaN and a number: NaN, as TensorFlow's propagate.
struct Maximum {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return choose(a >= b, a, choose(a == a, b, a));
  }
};
struct Minimum {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return choose(a <= b, a, choose(a == a, b, a));
  }
};
struct SquaredDifference {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    const V d = a - b;
    return d * d;
  }
};
struct FloorDiv {
  static double one(double a, double b, double) { return ::floor(a / b); }
  static float one(float a, float b, double) { return ::floorf(a / b); }
  template <class T>
  static T one(T a, T b, double) {
    if (b == -1)
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));  // the smallest / -1 wraps
    const T q = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
  }
};
struct FloorMod {
  static double one(double a, double b, double) { return shifted(::fmod(a, b), b); }
  static float one(float a, float b, double) { return shifted(::fmodf(a, b), b); }
  template <class T>
  static T one(T a, T b, double) {
    return b == -1 ? 0 : shifted(static_cast<T>(a % b), b);
  }
  template <class T>
  static T shifted(T rest, T b) {
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};
struct Pow {
  // The two exponents below are exact as products and far the most frequent.
  static double one(double a, double b, double) { return b == 2 ? a * a : b == 1 ? a : ::pow(a, b); }
  static float one(float a, float b, double) { return b == 2 ? a * a : b == 1 ? a : ::powf(a, b); }
  template <class T>
  static T one(T a, T b, double) {
    using W = std::make_unsigned_t<T>;
    W base = static_cast<W>(a), result = 1;
    for (W e = static_cast<W>(b); e; e >>= 1, base *= base) {
      if (e & 1) result *= base;
    }
    return static_cast<T>(result);
  }
};
struct Atan2 {
  static double one(double y, double x, double) { return ::atan2(y, x); }
  static float one(float y, float x, double) { return ::atan2f(y, x); }
};
struct Xlogy {
  static TAPESCOPE_INLINE F vec(F x, F y, double) { return choose(x == 0.f, F{}, x * log_of(y)); }
  static double one(double x, double y, double) { return x == 0 ? 0 : x * ::log(y); }
};
struct Xlog1py {
  static TAPESCOPE_INLINE F vec(F x, F y, double) { return choose(x == 0.f, F{}, x * log1p_of(y)); }
  static double one(double x, double y, double) { return x == 0 ? 0 : x * ::log1p(y); }
};
struct Xdivy {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, V y, double) {
    return choose(x == V{}, V{}, x / y);
  }
};
struct Polygamma {
  static double one(double n, double x, double) { return tapescope::kernels::polygamma(n, x); }
  static float one(float n, float x, double) {
    return static_cast<float>(tapescope::kernels::polygamma(static_cast<double>(n), static_cast<double>(x)));
  }
};

// Gradient functions: the order of operands and of arithmetic is TensorFlow's.
struct SqrtGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return choose(g == V{}, V{}, splat<V>(0.5) * g / y);
  }
};
struct RsqrtGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return choose(g == V{}, V{}, splat<V>(-0.5) * g * (y * y * y));
  }
};
struct ReciprocalGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return choose(g == V{}, V{}, -y * (g * y));
  }
};
struct TanhGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return g * (splat<V>(1) - y * y);
  }
};
struct SigmoidGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return g * y * (splat<V>(1) - y);
  }
};
struct ReluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double) {
    return choose(x > V{}, g, V{});
  }
};
struct Relu6Grad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double) {
    return choose(x > V{}, choose(x < splat<V>(6), g, V{}), V{});
  }
};
struct LeakyReluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double alpha) {
    return choose(x > V{}, g, g * splat<V>(alpha));
  }
};
struct EluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V y, double) {
    return choose(y < V{}, (y + splat<V>(1)) * g, g);
  }
};
struct SeluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V y, double) {
    return choose(y < V{}, g * (y + splat<V>(kSeluScaleAlpha)), g * splat<V>(kSeluScale));
  }
};
struct SoftplusGrad {
  static TAPESCOPE_INLINE F vec(F g, F x, double) { return g / (exp_of(-x) + 1.f); }
  static double one(double g, double x, double) { return g / (::exp(-x) + 1); }
};
struct SoftsignGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double p) {
    const V d = splat<V>(1) + Abs::of(x, p);
    return g / (d * d);
  }
};

struct Less {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a < b;
  }
};
struct LessEqual {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a <= b;
  }
};
struct Greater {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a >= b;
  }
};
struct Equal {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a == b;
  }
};
struct NotEqual {
  template <class V>
  static TAPESCOPE_INLINE auto of(V a, V b) {
    return a != b;
  }
};
struct LogicalAnd {
  static TAPESCOPE_INLINE bool of(std::uint8_t a, std::uint8_t b) { return a && b; }
};
struct LogicalOr {
  static TAPESCOPE_INLINE bool of(std::uint8_t a, std::uint8_t b) { return a || b; }
};

}  // namespace
#endif
