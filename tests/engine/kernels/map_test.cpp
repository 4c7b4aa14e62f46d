// Elementwise loops against plain scalar code in double: accuracy, edges, broadcasting, instruction sets,
// threads.
#include "engine/kernels/map.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine/core/half.h"
#include "engine/kernels/special.h"
#include "engine/kernels/thread_pool.h"
#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;
using namespace tapescope;
using kernels::BinaryOp;
using kernels::UnaryOp;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> numbers(std::size_t n, float low, float high, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> x(n);
  for (float& v : x) v = draw(engine);
  return x;
}

std::vector<float> apply(UnaryOp op, const std::vector<float>& x, double param = 0) {
  std::vector<float> y(x.size());
  kernels::map_unary(op, DType::f32, x.data(), y.data(), static_cast<std::int64_t>(x.size()), param);
  return y;
}
float one(UnaryOp op, float x) { return apply(op, {x})[0]; }

// Distance in units in the last place of the float nearest to the truth.
double ulps(float got, double want) {
  const float nearest = static_cast<float>(want);
  const double unit =
      static_cast<double>(std::nextafter(std::fabs(nearest), kInf)) - static_cast<double>(std::fabs(nearest));
  return std::fabs(static_cast<double>(got) - want) / unit;
}

struct Precise {
  UnaryOp op;
  double (*truth)(double);
  float low, high;
  double limit;
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::log1p(std::exp(x)); }

}  // namespace

TEST_CASE("float32 functions are accurate to a few units in the last place") {
  const Precise cases[] = {{UnaryOp::exp, [](double x) { return std::exp(x); }, -87, 88, 2},
                           {UnaryOp::exp, [](double x) { return std::exp(x); }, -1, 1, 1.5},
                           {UnaryOp::expm1, [](double x) { return std::expm1(x); }, -20, 80, 3},
                           {UnaryOp::expm1, [](double x) { return std::expm1(x); }, -0.01f, 0.01f, 2},
                           {UnaryOp::log, [](double x) { return std::log(x); }, 1e-6f, 1e6f, 1.5},
                           {UnaryOp::log, [](double x) { return std::log(x); }, 0.5f, 2, 1.5},
                           {UnaryOp::log1p, [](double x) { return std::log1p(x); }, -0.9f, 10, 2.5},
                           {UnaryOp::log1p, [](double x) { return std::log1p(x); }, -1e-3f, 1e-3f, 2.5},
                           {UnaryOp::tanh, [](double x) { return std::tanh(x); }, -9, 9, 4},
                           {UnaryOp::tanh, [](double x) { return std::tanh(x); }, -0.01f, 0.01f, 4},
                           {UnaryOp::erf, [](double x) { return std::erf(x); }, -5, 5, 2},
                           {UnaryOp::erf, [](double x) { return std::erf(x); }, -0.01f, 0.01f, 2},
                           {UnaryOp::sigmoid, sigmoid, -80, 30, 3},
                           // At its thresholds TensorFlow leaves out half a square, 4e-7.
                           {UnaryOp::softplus, softplus, -30, 30, 8}};
  for (const Precise& c : cases) {
    const std::vector<float> x = numbers(100'003, c.low, c.high), y = apply(c.op, x);
    double worst = 0;
    float where = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = ulps(y[i], c.truth(static_cast<double>(x[i])));
      if (error > worst) worst = error, where = x[i];
    }
    INFO("op " << static_cast<int>(c.op) << " worst at " << where);
    CHECK(worst <= c.limit);
  }
}

TEST_CASE("infinities, NaN and zeros pass through the float32 functions as the C library's would") {
  CHECK(one(UnaryOp::erf, kInf) == 1);
  CHECK(one(UnaryOp::erf, -kInf) == -1);
  CHECK(std::isnan(one(UnaryOp::erf, std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::signbit(one(UnaryOp::erf, -0.0f)));
  CHECK(one(UnaryOp::erf, 1e-30f) == Approx(1.1283791671e-30).epsilon(1e-6));
  CHECK(one(UnaryOp::exp, kInf) == kInf);
  CHECK(one(UnaryOp::exp, -kInf) == 0);
  CHECK(one(UnaryOp::exp, 89) == kInf);
  CHECK(one(UnaryOp::exp, -200) == 0);
  CHECK(one(UnaryOp::exp, 0) == 1);
  CHECK(one(UnaryOp::expm1, kInf) == kInf);
  CHECK(one(UnaryOp::expm1, -kInf) == -1);
  CHECK(one(UnaryOp::expm1, 88.5f) == Approx(std::expm1(88.5)).epsilon(1e-6));
  CHECK(std::signbit(one(UnaryOp::expm1, -0.0f)));
  CHECK(one(UnaryOp::log, 0) == -kInf);
  CHECK(one(UnaryOp::log, kInf) == kInf);
  CHECK(one(UnaryOp::log, 1) == 0);
  CHECK(std::isnan(one(UnaryOp::log, -1)));
  CHECK(one(UnaryOp::log1p, -1) == -kInf);
  CHECK(one(UnaryOp::log1p, kInf) == kInf);
  CHECK(one(UnaryOp::log1p, 1e-20f) == 1e-20f);
  CHECK(std::isnan(one(UnaryOp::log1p, -2)));
  CHECK(one(UnaryOp::tanh, kInf) == 1);
  CHECK(one(UnaryOp::tanh, -kInf) == -1);
  CHECK(one(UnaryOp::tanh, 30) == 1);
  CHECK(std::signbit(one(UnaryOp::tanh, -0.0f)));
  CHECK(one(UnaryOp::sigmoid, kInf) == 1);
  CHECK(one(UnaryOp::sigmoid, -kInf) == 0);
  CHECK(one(UnaryOp::sigmoid, 0) == 0.5f);
  CHECK(one(UnaryOp::softplus, 100) == 100);
  CHECK(one(UnaryOp::round, 0.5f) == 0);
  CHECK(one(UnaryOp::round, 1.5f) == 2);
  CHECK_FALSE(std::signbit(one(UnaryOp::abs, -0.0f)));
  for (UnaryOp op :
       {UnaryOp::exp, UnaryOp::expm1, UnaryOp::log, UnaryOp::log1p, UnaryOp::tanh, UnaryOp::sigmoid,
        UnaryOp::relu, UnaryOp::softplus, UnaryOp::sqrt, UnaryOp::abs, UnaryOp::relu6, UnaryOp::sign}) {
    INFO("op " << static_cast<int>(op));
    CHECK(std::isnan(one(op, kNan)));
  }
}

TEST_CASE("every length gives each element what it gets alone") {
  for (UnaryOp op : {UnaryOp::exp, UnaryOp::tanh, UnaryOp::neg, UnaryOp::erf}) {
    for (std::size_t n = 1; n <= 35; ++n) {
      const std::vector<float> x = numbers(n, -2, 2, static_cast<unsigned>(n)), y = apply(op, x);
      for (std::size_t i = 0; i < n; ++i) REQUIRE(y[i] == one(op, x[i]));
    }
  }
  for (BinaryOp op : {BinaryOp::add, BinaryOp::xlogy, BinaryOp::softplus_grad, BinaryOp::pow}) {
    for (std::int64_t n = 1; n <= 19; ++n) {
      const std::vector<float> a = numbers(static_cast<std::size_t>(n), 0.1f, 2),
                               b = numbers(static_cast<std::size_t>(n), 0.1f, 2, 7);
      std::vector<float> y(a.size() + 1, 77.f);
      kernels::map_binary(op, DType::f32, a.data(), b.data(), y.data(), n);
      CHECK(y.back() == 77.f);
      for (std::size_t i = 0; i < a.size(); ++i) {
        float alone;
        kernels::map_binary(op, DType::f32, &a[i], &b[i], &alone, 1);
        REQUIRE(y[i] == alone);
      }
    }
  }
}

TEST_CASE("every function has a loop for exactly the dtypes it says") {
  const DType plain[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::boolean};
  for (int op = 0; op < static_cast<int>(UnaryOp::count_); ++op) {
    for (DType type : plain) {
      INFO("unary " << op << " " << name_of(type));
      CHECK(kernels::supports(static_cast<UnaryOp>(op), type) ==
            (kernels::unary_loop(static_cast<UnaryOp>(op), type) != nullptr));
    }
  }
  for (int op = 0; op < static_cast<int>(BinaryOp::count_); ++op) {
    for (DType type : plain) {
      for (kernels::Mode mode :
           {kernels::Mode::vector_vector, kernels::Mode::scalar_vector, kernels::Mode::vector_scalar}) {
        INFO("binary " << op << " " << name_of(type));
        CHECK(kernels::supports(static_cast<BinaryOp>(op), type) ==
              (kernels::binary_loop(static_cast<BinaryOp>(op), type, mode) != nullptr));
      }
    }
  }
}

// Calls map(n, y) with each instruction set, for whole vectors and for rests of each length.
template <class Map>
static void check_with_all(Map map) {
  constexpr float kUntouched = 12345;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 1003}) {
    std::vector<float> base;
    for (const kernels::Instructions used : kernels::kInstructions) {
      kernels::limit_instructions(used);
      std::vector<float> y(static_cast<std::size_t>(n) + 1, kUntouched);
      map(n, y.data());
      if (base.empty()) base = y;
      INFO(n << " elements, instructions " << static_cast<int>(used));
      REQUIRE(y.back() == kUntouched);
      // The sign of a NaN that an operation makes is the processor's choice.
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (!std::isnan(y[i]) || !std::isnan(base[i])) REQUIRE(std::memcmp(&y[i], &base[i], 4) == 0);
      }
    }
  }
}

TEST_CASE("all instruction sets give the same bits") {
  if (!kernels::uses_avx2()) return;
  const std::vector<float> a = numbers(1003, -3, 3), b = numbers(1003, 0.1f, 3, 2);
  for (int op = 0; op < static_cast<int>(UnaryOp::logical_not); ++op) {
    check_with_all([&](std::int64_t n, float* y) {
      INFO("unary " << op);
      kernels::map_unary(static_cast<UnaryOp>(op), DType::f32, a.data(), y, n, 0.2);
    });
  }
  for (int op = 0; op < static_cast<int>(BinaryOp::logical_and); ++op) {
    if (op == static_cast<int>(BinaryOp::polygamma)) continue;
    check_with_all([&](std::int64_t n, float* y) {
      INFO("binary " << op);
      kernels::map_binary(static_cast<BinaryOp>(op), DType::f32, a.data(), b.data(), y, n, 0.2);
    });
  }
}

TEST_CASE("operands broadcast as NumPy's do") {
  const std::pair<Shape, Shape> cases[] = {{{3, 4}, {3, 4}},
                                           {{3, 4}, {4}},
                                           {{4}, {3, 4}},
                                           {{3, 1}, {1, 4}},
                                           {{}, {2, 3}},
                                           {{2, 3}, {}},
                                           {{2, 1, 3}, {4, 1}},
                                           {{1}, {5}},
                                           {{2, 3, 4}, {2, 1, 4}},
                                           {{2, 3, 4}, {3, 1}},
                                           {{5, 1, 3, 1, 2}, {4, 1, 6, 1}},
                                           {{0, 3}, {3}},
                                           {{1, 1}, {1}},
                                           {{64, 33}, {64, 1}}};
  for (const auto& [sa, sb] : cases) {
    const Shape out = broadcast_shapes(sa, sb);
    const std::vector<float> a = numbers(static_cast<std::size_t>(sa.numel()), -2, 2),
                             b = numbers(static_cast<std::size_t>(sb.numel()), -2, 2, 9);
    std::vector<float> y(static_cast<std::size_t>(out.numel()));
    kernels::map_broadcast(BinaryOp::sub, DType::f32, a.data(), sa, b.data(), sb, y.data(), out);
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      std::int64_t rest = i, ia = 0, ib = 0, step_a = 1, step_b = 1;
      for (int d = 1; d <= out.rank(); ++d) {
        const std::int64_t index = rest % out[out.rank() - d];
        rest /= out[out.rank() - d];
        if (d <= sa.rank()) ia += (sa[sa.rank() - d] == 1 ? 0 : index) * step_a, step_a *= sa[sa.rank() - d];
        if (d <= sb.rank()) ib += (sb[sb.rank() - d] == 1 ? 0 : index) * step_b, step_b *= sb[sb.rank() - d];
      }
      INFO(sa.text() << " " << sb.text() << " at " << i);
      REQUIRE(y[static_cast<std::size_t>(i)] ==
              a[static_cast<std::size_t>(ia)] - b[static_cast<std::size_t>(ib)]);
    }
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const std::int64_t n = 700'001;
  const std::vector<float> a = numbers(static_cast<std::size_t>(n), -3, 3),
                           b = numbers(static_cast<std::size_t>(n), -3, 3, 5);
  std::vector<float> one_thread(a.size()), three(a.size());
  for (UnaryOp op : {UnaryOp::exp, UnaryOp::neg}) {
    kernels::set_threads(1);
    kernels::map_unary(op, DType::f32, a.data(), one_thread.data(), n);
    kernels::set_threads(3);
    kernels::map_unary(op, DType::f32, a.data(), three.data(), n);
    CHECK(one_thread == three);
  }
  kernels::map_broadcast(BinaryOp::mul, DType::f32, a.data(), Shape{700, 1000}, b.data(), Shape{700, 1},
                         three.data(), Shape{700, 1000});
  kernels::set_threads(1);
  kernels::map_broadcast(BinaryOp::mul, DType::f32, a.data(), Shape{700, 1000}, b.data(), Shape{700, 1},
                         one_thread.data(), Shape{700, 1000});
  CHECK(std::memcmp(one_thread.data(), three.data(), 700'000 * 4) == 0);
}

TEST_CASE("half types convert as core/half.h says, every value and every rounding") {
  for (const kernels::Instructions most : kernels::kInstructions) {
    kernels::limit_instructions(most);
    std::vector<std::uint16_t> all(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    kernels::convert(DType::f16, all.data(), DType::f32, wide.data(), 65536);
    kernels::convert(DType::f32, wide.data(), DType::f16, back.data(), 65536);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float want = half_to_float(all[i]);
      if (std::isnan(want)) {
        REQUIRE(std::isnan(wide[i]));
        REQUIRE(std::isnan(half_to_float(back[i])));
      } else {
        REQUIRE(wide[i] == want);
        REQUIRE(back[i] == all[i]);
      }
    }
    // Bit patterns all over the range of float32, ties among them.
    std::vector<float> x;
    for (std::uint32_t i = 0; i < 400'000; ++i)
      x.push_back(std::bit_cast<float>(i * 10737u + (i & 7) * 0x1000u));
    for (std::uint32_t h = 0; h < 0x7c00; h += 3)
      x.push_back(
          (half_to_float(static_cast<std::uint16_t>(h)) + half_to_float(static_cast<std::uint16_t>(h + 1))) /
          2);
    std::vector<std::uint16_t> narrow(x.size()), brain(x.size());
    kernels::convert(DType::f32, x.data(), DType::f16, narrow.data(), static_cast<std::int64_t>(x.size()));
    kernels::convert(DType::f32, x.data(), DType::bf16, brain.data(), static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        REQUIRE(std::isnan(half_to_float(narrow[i])));
        REQUIRE(std::isnan(bfloat_to_float(brain[i])));
      } else {
        REQUIRE(narrow[i] == float_to_half(x[i]));
        REQUIRE(brain[i] == float_to_bfloat(x[i]));
      }
    }
  }
  kernels::limit_instructions(kernels::Instructions::avx512);
}

TEST_CASE("half types compute in float32 and round once") {
  std::uint16_t a[] = {float_to_half(65504), float_to_half(1), float_to_half(2048)},
                b[] = {float_to_half(2), float_to_half(2), float_to_half(1)}, y[3];
  kernels::map_binary(BinaryOp::mul, DType::f16, a, b, y, 3);
  CHECK(half_to_float(y[0]) == kInf);
  CHECK(half_to_float(y[1]) == 2);
  kernels::map_binary(BinaryOp::add, DType::f16, a, b, y, 3);
  CHECK(half_to_float(y[2]) == 2048);  // 2049 is half way: to even
  std::uint8_t test[3];
  kernels::map_binary(BinaryOp::less, DType::f16, a, b, test, 3);
  CHECK((test[0] == 0 && test[1] == 1 && test[2] == 0));
}

TEST_CASE("conversions truncate, saturate and test against zero") {
  const float x[] = {1.9f, -1.9f, 3e9f, -3e9f, kNan, 0.f, kInf};
  std::int32_t i[7];
  kernels::convert(DType::f32, x, DType::i32, i, 7);
  CHECK(std::vector<std::int32_t>(i, i + 7) ==
        std::vector<std::int32_t>{1, -1, 2147483647, -2147483647 - 1, 0, 0, 2147483647});
  std::uint8_t b[7];
  kernels::convert(DType::f32, x, DType::boolean, b, 7);
  CHECK(std::vector<int>(b, b + 7) == std::vector<int>{1, 1, 1, 1, 1, 0, 1});
  const std::int64_t big[] = {-5, 7, 1'000'000'007};
  double d[3];
  kernels::convert(DType::i64, big, DType::f64, d, 3);
  CHECK((d[0] == -5 && d[2] == 1'000'000'007.0));
}

TEST_CASE("select takes elements untouched, broadcast in all three operands") {
  const std::uint8_t c[] = {1, 0, 1};
  const float a[] = {1, 2, 3}, b[] = {kNan};
  float y[6];
  kernels::map_select(c, Shape{3}, a, Shape{3}, b, Shape{}, y, Shape{3}, 4);
  CHECK((y[0] == 1 && std::isnan(y[1]) && y[2] == 3));
  const std::uint8_t column[] = {1, 0};
  kernels::map_select(column, Shape{2, 1}, a, Shape{3}, a, Shape{1, 3}, y, Shape{2, 3}, 4);
  CHECK((y[0] == 1 && y[5] == 3));
}

TEST_CASE("a scalar of minus zero keeps its sign") {
  const float zero = -0.0f, x[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  float y[9];
  kernels::map_broadcast(BinaryOp::mul, DType::f32, x, Shape{9}, &zero, Shape{}, y, Shape{9});
  for (float v : y) CHECK(std::signbit(v));
}

TEST_CASE("integers wrap, divide towards minus infinity and take powers") {
  const std::int32_t a[] = {7, -7, 7, -7, 2147483647}, b[] = {2, 2, -2, -2, 1};
  std::int32_t y[5];
  kernels::map_binary(BinaryOp::floor_div, DType::i32, a, b, y, 4);
  CHECK((y[0] == 3 && y[1] == -4 && y[2] == -4 && y[3] == 3));
  kernels::map_binary(BinaryOp::floor_mod, DType::i32, a, b, y, 4);
  CHECK((y[0] == 1 && y[1] == 1 && y[2] == -1 && y[3] == -1));
  kernels::map_binary(BinaryOp::add, DType::i32, a, b, y, 5);
  CHECK(y[4] == -2147483647 - 1);
  const std::int64_t base[] = {3, -2}, exponent[] = {4, 3};
  std::int64_t power[2];
  kernels::map_binary(BinaryOp::pow, DType::i64, base, exponent, power, 2);
  CHECK((power[0] == 81 && power[1] == -8));
}

TEST_CASE("digamma and polygamma have their known values") {
  constexpr double kEuler = 0.57721566490153286061, kPi = 3.14159265358979323846;
  CHECK(kernels::digamma(1) == Approx(-kEuler).epsilon(1e-13));
  CHECK(kernels::digamma(0.5) == Approx(-kEuler - 2 * std::log(2)).epsilon(1e-13));
  CHECK(kernels::digamma(-0.5) == Approx(0.03648997397857652).epsilon(1e-11));
  CHECK(std::isnan(kernels::digamma(-1)));
  CHECK(kernels::polygamma(1, 1) == Approx(kPi * kPi / 6).epsilon(1e-12));
  CHECK(kernels::polygamma(2, 1) == Approx(-2 * 1.2020569031595942854).epsilon(1e-12));
  // n! is the largest double there, and beyond it infinite: no term more is computed.
  CHECK(kernels::polygamma(170, 1) == Approx(-7.257415615307999e306).epsilon(1e-12));
  CHECK(kernels::polygamma(171, 1) == std::numeric_limits<double>::infinity());
  CHECK(kernels::polygamma(1e30, 0.5) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(kernels::polygamma(1e30, 2)));
  CHECK(kernels::polygamma(0, 3) == Approx(kernels::digamma(3)));
  CHECK(std::isnan(kernels::polygamma(1.5, 1)));
}

// The sum of the definition in long double, its rest by three terms of Euler and Maclaurin from far away on.
TEST_CASE("polygamma of any order is its series to the last bits") {
  for (int n = 2; n <= 40; ++n) {
    for (const double x : {1e-3, 0.1, 0.5, 1.0, 1.75, 3.0, 9.5, 11.0, 12.5, 30.0, 77.25, 400.0}) {
      long double sum = 0, at = x;
      for (; at < 4000; at += 1) sum += std::pow(at, -static_cast<long double>(n) - 1);
      const long double last = std::pow(at, -static_cast<long double>(n));
      sum += last / n + last / (2 * at) + (n + 1) * last / (12 * at * at);
      const long double whole = std::tgamma(static_cast<long double>(n) + 1) * sum * (n % 2 == 1 ? 1 : -1);
      INFO("order " << n << " of " << x);
      CHECK(kernels::polygamma(n, x) == Approx(static_cast<double>(whole)).epsilon(1e-14));
    }
  }
}
