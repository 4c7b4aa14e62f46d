// The elementwise functions, as structs that the loops take.
//
// `of` serves scalars and vectors alike; `vec` serves float32 vectors with `one` for double; `one` alone is
// for scalars. After vector.inl, once per instruction set.

namespace {

// ---- one argument

struct Neg {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    return -x;
  }
};
struct Abs {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    // Compared against zero, -0 would keep its sign: adding zero takes it away.
    return (x < V{} ? -x : x) + V{};
  }
};
struct Sign {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    const V one = splat<V>(1);
    return x > V{} ? one : x < V{} ? -one : x;  // zero and NaN as they are
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
    return x < V{} ? V{} : x;
  }
};
struct Relu6 {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double) {
    const V six = splat<V>(6);
    return x < V{} ? V{} : x > six ? six : x;
  }
};
struct LeakyRelu {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, double alpha) {
    return x > V{} ? x : x * splat<V>(alpha);
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
  static TAPESCOPE_INLINE F vec(F x, double) { return x < 0.f ? expm1_of(x) : x; }
  static double one(double x, double) { return x < 0 ? ::expm1(x) : x; }
};
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  static TAPESCOPE_INLINE F vec(F x, double) {
    return x < 0.f ? expm1_of(x) * static_cast<float>(kSeluScaleAlpha) : x * static_cast<float>(kSeluScale);
  }
  static double one(double x, double) { return x < 0 ? kSeluScaleAlpha * ::expm1(x) : kSeluScale * x; }
};
// The two thresholds are -(log(epsilon) + 2): beyond them the other form is exact to the last bit.
struct Softplus {
  static TAPESCOPE_INLINE F vec(F x, double) {
    const F e = exp_of(x);
    return x > 13.942385f ? x : x < -13.942385f ? e : log1p_of(e);
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
  static double one(double x, double) { return ::erf(x); }
  static float one(float x, double) { return ::erff(x); }
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
  static bool one(T x, double) {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  static bool one(T x, double) {
    return x == __builtin_inf() || x == -__builtin_inf();
  }
};
struct IsFinite {
  template <class T>
  static bool one(T x, double) {
    return x - x == T(0);
  }
};
struct LogicalNot {
  static bool one(std::uint8_t x, double) { return !x; }
};

// ---- two arguments

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
    return b == V{} ? V{} : a / b;
  }
};
// Of two NaNs or a NaN and a number: NaN, as TensorFlow's propagate.
struct Maximum {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a >= b ? a : a == a ? b : a;
  }
};
struct Minimum {
  template <class V>
  static TAPESCOPE_INLINE V of(V a, V b, double) {
    return a <= b ? a : a == a ? b : a;
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
  static TAPESCOPE_INLINE F vec(F x, F y, double) { return x == 0.f ? F{} : x * log_of(y); }
  static double one(double x, double y, double) { return x == 0 ? 0 : x * ::log(y); }
};
struct Xlog1py {
  static TAPESCOPE_INLINE F vec(F x, F y, double) { return x == 0.f ? F{} : x * log1p_of(y); }
  static double one(double x, double y, double) { return x == 0 ? 0 : x * ::log1p(y); }
};
struct Xdivy {
  template <class V>
  static TAPESCOPE_INLINE V of(V x, V y, double) {
    return x == V{} ? V{} : x / y;
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
    return g == V{} ? V{} : splat<V>(0.5) * g / y;
  }
};
struct RsqrtGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return g == V{} ? V{} : splat<V>(-0.5) * g * (y * y * y);
  }
};
struct ReciprocalGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V y, V g, double) {
    return g == V{} ? V{} : -y * (g * y);
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
    return x > V{} ? g : V{};
  }
};
struct Relu6Grad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double) {
    return x > V{} ? (x < splat<V>(6) ? g : V{}) : V{};
  }
};
struct LeakyReluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V x, double alpha) {
    return x > V{} ? g : g * splat<V>(alpha);
  }
};
struct EluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V y, double) {
    return y < V{} ? (y + splat<V>(1)) * g : g;
  }
};
struct SeluGrad {
  template <class V>
  static TAPESCOPE_INLINE V of(V g, V y, double) {
    return y < V{} ? g * (y + splat<V>(kSeluScaleAlpha)) : g * splat<V>(kSeluScale);
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
