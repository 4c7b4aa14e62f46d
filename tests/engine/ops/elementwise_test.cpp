// Elementwise ops: values and gradients at the edge points of the semantics reference, shapes, dtypes,
// errors.
#include "engine/ops/elementwise.h"

#include <cmath>
#include <limits>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

Tensor scalar(double x, DType dtype = DType::f64) { return make_full(Shape{}, x, dtype); }
Tensor vector(std::initializer_list<double> x, DType dtype = DType::f64) {
  return make_tensor(std::span(x.begin(), x.size()), Shape{static_cast<std::int64_t>(x.size())}, dtype);
}

template <class F>
double slope(F f, double x, double upstream = 1) {
  const Tensor input = scalar(x);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(input);
    y = f(input);
  }
  return element(tape.gradient(y, input, {.output_gradients = {scalar(upstream)}}), 0);
}
template <class F>
std::pair<double, double> slopes(F f, double a, double b) {
  const Tensor x = scalar(a), y = scalar(b);
  GradientTape tape;
  Tensor z;
  {
    auto recording = tape.record();
    tape.watch({x, y});
    z = f(x, y);
  }
  const std::vector<Tensor> g = tape.gradient(z, {x, y});
  return {element(g[0], 0), element(g[1], 0)};
}
bool equal_or_nan(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool equal_or_nan(std::pair<double, double> a, std::pair<double, double> b) {
  return equal_or_nan(a.first, b.first) && equal_or_nan(a.second, b.second);
}
using Both = std::pair<double, double>;

}  // namespace

// Section 13.6 of the semantics reference.
TEST_CASE("gradients at kinks and poles are TensorFlow's") {
  CHECK(slope([](const Tensor& x) { return abs(x); }, 0) == 0);
  CHECK(slope([](const Tensor& x) { return sign(x); }, 3) == 0);
  CHECK(slope([](const Tensor& x) { return relu(x); }, 0) == 0);
  CHECK(slope([](const Tensor& x) { return relu6(x); }, 0) == 0);
  CHECK(slope([](const Tensor& x) { return relu6(x); }, 6) == 0);
  CHECK(slope([](const Tensor& x) { return leaky_relu(x); }, 0) == Approx(0.2));
  CHECK(slope([](const Tensor& x) { return elu(x); }, 0) == 1);
  CHECK(slope([](const Tensor& x) { return selu(x); }, 0) == Approx(1.0507009873554805));
  CHECK(slope([](const Tensor& x) { return sqrt(x); }, 0) == kInfinity);
  CHECK(slope([](const Tensor& x) { return rsqrt(x); }, 0) == -kInfinity);
  CHECK(slope([](const Tensor& x) { return reciprocal(x); }, 0) == -kInfinity);
  CHECK(slope([](const Tensor& x) { return log(x); }, 0) == kInfinity);
  CHECK(slope([](const Tensor& x) { return log1p(x); }, -1) == kInfinity);
  CHECK(slope([](const Tensor& x) { return sqrt(x); }, 0, 0) == 0);
  CHECK(slope([](const Tensor& x) { return rsqrt(x); }, 0, 0) == 0);
  CHECK(slope([](const Tensor& x) { return reciprocal(x); }, 0, 0) == 0);
  CHECK(std::isnan(slope([](const Tensor& x) { return log(x); }, 0, 0)));
  CHECK(slope([](const Tensor& x) { return asin(x); }, 1) == kInfinity);
  CHECK(slope([](const Tensor& x) { return acos(x); }, 1) == -kInfinity);
  CHECK(slope([](const Tensor& x) { return acosh(x); }, 1) == kInfinity);
  CHECK(slope([](const Tensor& x) { return atanh(x); }, 1) == kInfinity);
  CHECK(slope([](const Tensor& x) { return clip_by_value(x, -1, 1); }, -1) == 1);
  CHECK(slope([](const Tensor& x) { return clip_by_value(x, -1, 1); }, 1) == 1);
  CHECK(slope([](const Tensor& x) { return clip_by_value(x, -1, 1); }, 2) == 0);
  CHECK(slope([](const Tensor& x) { return clip_by_value(x, -1, 1); }, kNotANumber) == 0);
  CHECK(slope([](const Tensor& x) { return relu(x); }, kNotANumber) == 0);
  CHECK(std::isnan(slope([](const Tensor& x) { return sqrt(x * x); }, 0)));
}

TEST_CASE("both gradients of two-argument ops at their edges are TensorFlow's") {
  const auto power = [](const Tensor& x, const Tensor& y) { return pow(x, y); };
  CHECK(equal_or_nan(slopes(power, 0, 1), Both{1, 0}));
  CHECK(equal_or_nan(slopes(power, 0, 0), Both{kNotANumber, 0}));
  CHECK(equal_or_nan(slopes(power, 0, 0.5), Both{kInfinity, 0}));
  CHECK(equal_or_nan(slopes(power, 0, -1), Both{-kInfinity, kNotANumber}));
  CHECK(equal_or_nan(slopes(power, 0, 2), Both{0, 0}));
  CHECK(equal_or_nan(slopes(power, -2, 2), Both{-4, 0}));
  CHECK(equal_or_nan(slopes(power, -2, 0.5), Both{kNotANumber, kNotANumber}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return x / y; }, 1, 0),
                     Both{kInfinity, -kInfinity}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return divide_no_nan(x, y); }, 1, 0),
                     Both{0, 0}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return floormod(x, y); }, 5, 3),
                     Both{1, -1}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return floormod(x, y); }, -5, 3),
                     Both{1, 2}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return xlogy(x, y); }, 0, 0), Both{0, 0}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return xdivy(x, y); }, 0, 0), Both{0, 0}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return xlog1py(x, y); }, 0, -1),
                     Both{0, 0}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return atan2(x, y); }, 0, 0),
                     Both{kNotANumber, kNotANumber}));
  CHECK(
      equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return atan2(x, y); }, 1, 0), Both{0, -1}));
  CHECK(
      equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return maximum(x, y); }, 2, 2), Both{1, 0}));
  CHECK(
      equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return minimum(x, y); }, 2, 2), Both{1, 0}));
  CHECK(equal_or_nan(slopes([](const Tensor& x, const Tensor& y) { return maximum(x, y); }, kNotANumber, 2),
                     Both{0, 1}));
}

TEST_CASE("rounding, comparisons and tests give None") {
  const Tensor x = vector({0.5, 1.5, -0.5});
  GradientTape tape({.persistent = true});
  auto recording = tape.record();
  tape.watch(x);
  for (const Tensor& y : {floor(x), ceil(x), round(x), cast(x > 0, DType::f64), floordiv(x, 2.0),
                          cast(cast(x, DType::i32), DType::f64)}) {
    CHECK_FALSE(tape.gradient(y, x));
  }
}

TEST_CASE("a number takes the other operand's dtype, and comparisons are boolean") {
  const Tensor x = vector({1, 2, 3}, DType::f16);
  CHECK((2 * x).dtype() == DType::f16);
  CHECK((1.5 - x).dtype() == DType::f16);
  CHECK((x > 2).dtype() == DType::boolean);
  CHECK(elements(x > 2) == std::vector<double>{0, 0, 1});
  CHECK(where(x > 2, x, 0).dtype() == DType::f16);
  CHECK(elements(logical_xor(x > 1, x > 2)) == std::vector<double>{0, 1, 0});
  const Tensor i = vector({7, 2}, DType::i32);
  CHECK((i / 2).dtype() == DType::f64);
  CHECK(elements(i / 2) == std::vector<double>{3.5, 1});
  CHECK(cast(x, DType::f16).id() == x.id());
}

TEST_CASE("an operand that was broadcast gets a gradient in its shape") {
  const Tensor x = make_full(Shape{2, 1, 3}, 2, DType::f64), y = make_full(Shape{4, 1}, 5, DType::f64);
  GradientTape tape;
  Tensor z;
  {
    auto recording = tape.record();
    tape.watch({x, y});
    z = x * y;
  }
  CHECK(z.shape() == Shape{2, 4, 3});
  const std::vector<Tensor> g = tape.gradient(z, {x, y});
  CHECK(g[0].shape() == x.shape());
  CHECK(element(g[0], 0) == 20);
  CHECK(g[1].shape() == y.shape());
  CHECK(element(g[1], 0) == 12);
}

TEST_CASE("what does not fit is refused in the op's name, with both types and the line") {
  const Tensor a = make_full(Shape{2, 3}, 1, DType::f32), b = make_full(Shape{4}, 1, DType::f32),
               c = make_full(Shape{2, 3}, 1, DType::f64);
  const std::string shapes = error_of([&] { (void)(a + b); });
  CHECK(shapes.starts_with("[AddV2]"));
  CHECK(shapes.find("float32[2, 3]") != std::string::npos);
  CHECK(shapes.find("float32[4]") != std::string::npos);
  CHECK(shapes.find("elementwise_test.cpp") != std::string::npos);
  CHECK(error_of([&] { (void)(a * c); }).find("float64") != std::string::npos);
  CHECK(error_of([&] { (void)exp(vector({1}, DType::i32)); }).starts_with("[Exp] is not defined for int32"));
  CHECK(error_of([&] { (void)where(a, a, a); }).find("bool") != std::string::npos);
  CHECK(error_of([&] { (void)floordiv(vector({1}, DType::i32), vector({0}, DType::i32)); }).find("zero") !=
        std::string::npos);
  CHECK(error_of([&] { (void)pow(vector({2}, DType::i32), vector({-1}, DType::i32)); }).find("negative") !=
        std::string::npos);
  CHECK(error_of([&] { (void)add_n(std::vector<Tensor>{a, b}); }).starts_with("[AddN]"));
  CHECK(error_of([&] { (void)add_n({}); }).starts_with("[AddN]"));
}

TEST_CASE("add_n adds in order and hands its gradient to each") {
  const Tensor x = vector({1, 2}), y = vector({10, 20});
  GradientTape tape;
  Tensor z;
  {
    auto recording = tape.record();
    tape.watch({x, y});
    z = add_n(std::vector<Tensor>{x, y, x});
  }
  CHECK(elements(z) == std::vector<double>{12, 24});
  const std::vector<Tensor> g = tape.gradient(z, {x, y});
  CHECK(elements(g[0]) == std::vector<double>{2, 2});
  CHECK(elements(g[1]) == std::vector<double>{1, 1});
}
