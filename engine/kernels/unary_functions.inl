// The elementwise functions of one argument: the table of them, and a struct that computes each.
//
// Included twice: by map.h for the table, and after vector.inl, once per instruction set, for the structs.
// `of` serves scalars and vectors alike; `vec` serves float32 vectors with `one` for double; `one` alone is
// for scalars.

#ifndef TAPESCOPE_UNARY_FUNCTIONS
// The code in UnaryOp, the struct, the element types (map.h), floating-point operations of an element, and
// what its time goes to (Work in map.h).
#define TAPESCOPE_UNARY_FUNCTIONS(ROW)          \
  ROW(neg, Neg, wrapping, 1, memory)            \
  ROW(abs, Abs, numeric, 1, memory)             \
  ROW(sign, Sign, numeric, 1, memory)           \
  ROW(square, Square, wrapping, 1, memory)      \
  ROW(sqrt, Sqrt, real, 1, memory)              \
  ROW(rsqrt, Rsqrt, real, 1, memory)            \
  ROW(reciprocal, Reciprocal, real, 1, memory)  \
  ROW(exp, Exp, real, 10, polynomial)           \
  ROW(expm1, Expm1, real, 10, polynomial)       \
  ROW(log, Log, real, 10, polynomial)           \
  ROW(log1p, Log1p, real, 10, polynomial)       \
  ROW(sin, Sin, real, 10, library)              \
  ROW(cos, Cos, real, 10, library)              \
  ROW(tan, Tan, real, 10, library)              \
  ROW(asin, Asin, real, 10, library)            \
  ROW(acos, Acos, real, 10, library)            \
  ROW(atan, Atan, real, 10, library)            \
  ROW(sinh, Sinh, real, 10, library)            \
  ROW(cosh, Cosh, real, 10, library)            \
  ROW(asinh, Asinh, real, 10, library)          \
  ROW(acosh, Acosh, real, 10, library)          \
  ROW(atanh, Atanh, real, 10, library)          \
  ROW(tanh, Tanh, real, 10, polynomial)         \
  ROW(sigmoid, Sigmoid, real, 10, polynomial)   \
  ROW(relu, Relu, numeric, 1, memory)           \
  ROW(relu6, Relu6, numeric, 1, memory)         \
  ROW(leaky_relu, LeakyRelu, real, 1, memory)   \
  ROW(elu, Elu, real, 10, polynomial)           \
  ROW(selu, Selu, real, 10, polynomial)         \
  ROW(softplus, Softplus, real, 10, polynomial) \
  ROW(softsign, Softsign, real, 10, memory)     \
  ROW(silu, Silu, real, 10, polynomial)         \
  ROW(erf, Erf, real, 10, polynomial)           \
  ROW(erfc, Erfc, real, 10, library)            \
  ROW(lgamma, Lgamma, real, 10, library)        \
  ROW(digamma, Digamma, real, 10, library)      \
  ROW(floor, Floor, real, 1, memory)            \
  ROW(ceil, Ceil, real, 1, memory)              \
  ROW(round, Round, real, 1, memory)            \
  ROW(is_nan, IsNan, test, 1, memory)           \
  ROW(is_inf, IsInf, test, 1, memory)           \
  ROW(is_finite, IsFinite, test, 1, memory)     \
  ROW(logical_not, LogicalNot, truth, 1, memory)
#endif

#ifdef TAPESCOPE_INLINE  // vector.inl
namespace {

struct Neg {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return -x;
  }
};
struct Abs {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return magnitude(x);
  }
};
struct Sign {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    const V one = splat<V>(1);
    return choose(x > V{}, one, choose(x < V{}, -one, x));  // zero and NaN as they are
  }
};
struct Square {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return x * x;
  }
};
struct Sqrt {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return sqrt_of(x);
  }
};
struct Rsqrt {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return splat<V>(1) / sqrt_of(x);
  }
};
struct Reciprocal {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return splat<V>(1) / x;
  }
};
struct Relu {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return choose(x < V{}, V{}, x);
  }
};
struct Relu6 {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    const V six = splat<V>(6);
    return choose(x < V{}, V{}, choose(x > six, six, x));
  }
};
struct LeakyRelu {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double alpha) {
    return choose(x > V{}, x, x * splat<V>(alpha));
  }
};
struct Softsign {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double p) {
    return x / (splat<V>(1) + Abs::of(x, p));
  }
};

struct Exp {
  static TAPESCOPE_INLINE F vec(F x, double) { return exp_of(x); }
  static double one(double x, double) { return ::exp(x); }
};
struct Expm1 {
  static TAPESCOPE_INLINE F vec(F x, double) { return expm1_of(x); }
  static double one(double x, double) { return ::expm1(x); }
};
struct Log {
  static TAPESCOPE_INLINE F vec(F x, double) { return log_of(x); }
  static double one(double x, double) { return ::log(x); }
};
struct Log1p {
  static TAPESCOPE_INLINE F vec(F x, double) { return log1p_of(x); }
  static double one(double x, double) { return ::log1p(x); }
};
struct Tanh {
  static TAPESCOPE_INLINE F vec(F x, double) { return tanh_of(x); }
  static double one(double x, double) { return ::tanh(x); }
};
struct Sigmoid {
  static TAPESCOPE_INLINE F vec(F x, double) { return sigmoid_of(x); }
  static double one(double x, double) { return 1 / (1 + ::exp(-x)); }
};
struct Silu {
  static TAPESCOPE_INLINE F vec(F x, double) { return x * sigmoid_of(x); }
  static double one(double x, double p) { return x * Sigmoid::one(x, p); }
};
struct Elu {
  static TAPESCOPE_INLINE F vec(F x, double) { return choose(x < 0.f, expm1_of(x), x); }
  static double one(double x, double) { return x < 0 ? ::expm1(x) : x; }
};
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  static TAPESCOPE_INLINE F vec(F x, double) {
    return choose(x < 0.f, expm1_of(x) * static_cast<float>(kSeluScaleAlpha),
                  x * static_cast<float>(kSeluScale));
  }
  static double one(double x, double) { return x < 0 ? kSeluScaleAlpha * ::expm1(x) : kSeluScale * x; }
};
// The two thresholds are -(log(epsilon) + 2): beyond them the other form is exact to the last bit.
struct Softplus {
  static TAPESCOPE_INLINE F vec(F x, double) {
    const F e = exp_of(x);
    return choose(x > 13.942385f, x, choose(x < -13.942385f, e, log1p_of(e)));
  }
  static double one(double x, double) {
    constexpr double kThreshold = 34.04365338911715;
    return x > kThreshold ? x : x < -kThreshold ? ::exp(x) : ::log1p(::exp(x));
  }
};

struct Sin {
  static double one(double x, double) { return ::sin(x); }
  static float one(float x, double) { return ::sinf(x); }
};
struct Cos {
  static double one(double x, double) { return ::cos(x); }
  static float one(float x, double) { return ::cosf(x); }
};
struct Tan {
  static double one(double x, double) { return ::tan(x); }
  static float one(float x, double) { return ::tanf(x); }
};
struct Asin {
  static double one(double x, double) { return ::asin(x); }
  static float one(float x, double) { return ::asinf(x); }
};
struct Acos {
  static double one(double x, double) { return ::acos(x); }
  static float one(float x, double) { return ::acosf(x); }
};
struct Atan {
  static double one(double x, double) { return ::atan(x); }
  static float one(float x, double) { return ::atanf(x); }
};
struct Sinh {
  static double one(double x, double) { return ::sinh(x); }
  static float one(float x, double) { return ::sinhf(x); }
};
struct Cosh {
  static double one(double x, double) { return ::cosh(x); }
  static float one(float x, double) { return ::coshf(x); }
};
struct Asinh {
  static double one(double x, double) { return ::asinh(x); }
  static float one(float x, double) { return ::asinhf(x); }
};
struct Acosh {
  static double one(double x, double) { return ::acosh(x); }
  static float one(float x, double) { return ::acoshf(x); }
};
struct Atanh {
  static double one(double x, double) { return ::atanh(x); }
  static float one(float x, double) { return ::atanhf(x); }
};
struct Erf {
  static TAPESCOPE_INLINE F vec(F x, double) { return erf_of(x); }
  static double one(double x, double) { return ::erf(x); }
};
struct Erfc {
  static double one(double x, double) { return ::erfc(x); }
  static float one(float x, double) { return ::erfcf(x); }
};
struct Lgamma {
  static double one(double x, double) { return tapescope::kernels::log_gamma(x); }
  static float one(float x, double) {
    return static_cast<float>(tapescope::kernels::log_gamma(static_cast<double>(x)));
  }
};
struct Digamma {
  static double one(double x, double) { return tapescope::kernels::digamma(x); }
  static float one(float x, double) {
    return static_cast<float>(tapescope::kernels::digamma(static_cast<double>(x)));
  }
};
struct Floor {
  static double one(double x, double) { return ::floor(x); }
  static float one(float x, double) { return ::floorf(x); }
};
struct Ceil {
  static double one(double x, double) { return ::ceil(x); }
  static float one(float x, double) { return ::ceilf(x); }
};
// Halves to even: the rounding mode every thread of ours has.
struct Round {
  static double one(double x, double) { return ::nearbyint(x); }
  static float one(float x, double) { return ::nearbyintf(x); }
};

struct IsNan {
  template <class T>
  static auto one(T x, double) {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  static auto one(T x, double) {
    return (x == splat<T>(__builtin_inf())) | (x == splat<T>(-__builtin_inf()));
  }
};
struct IsFinite {
  template <class T>
  static auto one(T x, double) {
    return x - x == T(0);
  }
};
struct LogicalNot {
  static bool one(std::uint8_t x, double) { return !x; }
};

}  // namespace
#endif
