// Numbers beside tensors and in constant(): their dtypes, and those that a dtype has not.
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

std::string dtype_text(const Tensor& x) { return std::string(name_of(x.dtype())); }

}  // namespace

TEST_CASE("a real number beside an int32 tensor is a TypeError that names the cast, as in TensorFlow") {
  const Tensor whole = constant({1, 2});
  const auto refused = [](const auto& call) {
    CHECK(kind_of(call) == ErrorKind::type);
    const std::string message = error_of(call);
    CHECK_THAT(message, contains_text("cast(x, DType::f32)"));
    CHECK_THAT(message, contains_text("numbers_test.cpp"));
    return message;
  };
  CHECK_THAT(refused([&] { return whole * 0.5; }), contains_text("[Mul] cannot convert 0.5 to int32"));
  CHECK_THAT(refused([&] { return 2.0 * whole; }), contains_text("2.0"));
  refused([&] { return whole < 3.5; });
  refused([&] { return whole / 2.0; });
  refused([&] { return maximum(whole, 0.5); });
  refused([&] { return pow(whole, 0.5); });
  refused([&] { return where(whole > 1, whole, 0.5); });
  refused([&] { return clip_by_value(whole, 0, 1.5); });
  refused([&] { return pad(whole, {{1, 1}}, PadMode::constant, 3.5); });
  const Variable count(3);
  refused([&] { count.assign(2.5); });
  refused([&] { count.assign_add(0.5); });
}

TEST_CASE("whole numbers and bools take the dtype they meet, and make their own where they meet none") {
  const Tensor real = constant({1.0, 2.0}), whole = constant({1, 2});
  CHECK(values_text(real * 2) == "[2, 4]");
  CHECK(values_text(real * true) == "[1, 2]");
  CHECK(values_text(whole * 3) == "[3, 6]");
  CHECK(dtype_text(whole * 3) == "int32");
  CHECK(dtype_text(whole / 2) == "float64");
  CHECK(values_text(whole / 2) == "[0.5, 1]");
  CHECK(dtype_text(where(whole > 1, 1, 0)) == "int32");
  CHECK(dtype_text(where(whole > 1, 1.0, 0)) == "float32");
  CHECK(dtype_text(square(3)) == "int32");
  CHECK(dtype_text(add(1, 2.5)) == "float32");
  CHECK(dtype_text(fill({2}, 3)) == "int32");
  CHECK(dtype_text(fill({2}, 3.0)) == "float32");
  CHECK(values_text(cast(3.7, DType::i32)) == "3");
  CHECK_THROWS_AS(whole * 3000000000, Error);
  CHECK_THROWS_AS(logical_and(whole > 1, 1), Error);
  // All digits of an int64.
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  CHECK((constant({0}, DType::i64) + large).data<std::int64_t>()[0] == large);
  CHECK(constant({large}).data<std::int64_t>()[0] == large);
  CHECK(fill({2}, large).data<std::int64_t>()[1] == large);
}

TEST_CASE("constant() keeps what kind of numbers a program writes") {
  CHECK(dtype_text(constant({0, 1, 2})) == "int32");
  CHECK(dtype_text(constant(7)) == "int32");
  CHECK(dtype_text(constant({{1, 2}, {3, 4.5}})) == "float32");
  CHECK(dtype_text(constant({1.0, 2.0})) == "float32");
  CHECK(dtype_text(constant({true, false})) == "bool");
  CHECK(dtype_text(constant({1, 2147483648})) == "int64");
  CHECK(dtype_text(constant({})) == "float32");
  CHECK(dtype_text(constant(1, {2, 2})) == "int32");
  CHECK(dtype_text(constant({1, 0}, DType::boolean)) == "bool");
  CHECK(dtype_text(constant(std::vector<double>{1, 2})) == "float32");
  CHECK(dtype_text(constant(std::vector<int>{1, 2})) == "int32");
  CHECK(kind_of([] { return constant({1.5}, DType::i32); }) == ErrorKind::type);
  CHECK(kind_of([] { return constant({2147483648}, DType::i32); }) == ErrorKind::type);
  CHECK(kind_of([] { return constant({2}, DType::boolean); }) == ErrorKind::type);
}

TEST_CASE("a range has the dtype of its bounds, which may be tensors") {
  CHECK(dtype_text(range(3)) == "int32");
  CHECK(dtype_text(range(3.0)) == "float32");
  CHECK(values_text(range(0, 1, 0.25)) == "[0, 0.25, 0.5, 0.75]");
  CHECK(dtype_text(range(constant(1, DType::i64), 4)) == "int64");
  CHECK(values_text(range(constant(3))) == "[0, 1, 2]");
  CHECK_THROWS_AS(range(constant(3), 4.5), Error);
  const Variable stop(2.0);
  CHECK(values_text(linspace(0, stop, 3)) == "[0, 1, 2]");
}

TEST_CASE("an if asks a comparison for its value, as in Python") {
  const Tensor one = constant(1.0), two = constant({1.0, 2.0});
  bool smaller = false, larger = false;
  if (one < 2.0) smaller = true;
  if (one > 2.0) larger = true;
  CHECK(smaller);
  CHECK_FALSE(larger);
  CHECK_FALSE(static_cast<bool>(one == 2.0));
  CHECK_THROWS_WITH(static_cast<bool>(two > 0.0),
                    contains_text("reduce_all") && contains_text("numbers_test.cpp"));
  CHECK(values_text((two > 1.0) | (two < 1.5)) == "[true, true]");
  CHECK(values_text(~(two > 1.0)) == "[true, false]");
}

TEST_CASE("parameters that are tensors have TensorFlow's gradients") {
  const Tensor x = constant({3.0, -4.0});
  const auto slope = [](double at, const auto& f) {
    const Variable p(at, {.name = "p"});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = f(p);
    }
    const Tensor gradient = tape.gradient(y, p);
    return gradient ? element(gradient, 0) : std::nan("");
  };
  CHECK(slope(1.0, [&](const Variable& p) { return clip_by_value(x, -1, p); }) == 1);
  // 1 times x / 5: the sum of 3/5 and -4/5.
  CHECK(slope(1.0, [&](const Variable& p) { return clip_by_norm(x, p); }) == Approx(-0.2));
  CHECK(slope(2.0, [&](const Variable& p) { return linspace(p, 3, 3); }) == Approx(1.5));
  CHECK(slope(1.0, [&](const Variable& p) { return random_normal({4}, p, 0); }) == 4);
  // x / (1 - p) where kept: 1 / (1 - p)^2 for each 1.
  CHECK(slope(0.5, [&](const Variable& p) { return dropout(ones({1000}), p); }) == Approx(2000).margin(400));
  // softplus(x) for each label of 1.
  CHECK(slope(2.0, [&](const Variable& p) {
          return weighted_cross_entropy_with_logits(ones({1}), zeros({1}), p);
        }) == Approx(std::log(2.0)));
  CHECK(std::isnan(slope(1.0, [&](const Variable& p) { return pad(x, {{1, 1}}, PadMode::constant, p); })));
  CHECK(std::isnan(slope(1.0, [&](const Variable& p) { return one_hot(range(2), 2, p); })));
  const Variable margin(9.0);
  CHECK(values_text(pad(x, {{1, 0}}, PadMode::constant, margin)) == "[9, 3, -4]");
  CHECK(values_text(one_hot(range(2), 2, margin)) == "[[9, 0], [0, 9]]");
}
