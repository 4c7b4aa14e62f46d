// Tensors made of host values and of nothing.
#include "engine/ops/creation.h"

#include <cmath>

#include "tests/support/gradient_check.h"

using namespace tapescope;

TEST_CASE("a nested list gives shape and values") {
  CHECK(values_text(constant(3.5)) == "3.5");
  CHECK(values_text(constant({1.0, 2.0, 3.0})) == "[1, 2, 3]");
  const Tensor matrix = constant({{1, 2}, {3, 4}, {5, 6}}, DType::f64);
  CHECK(matrix.type().text() == "float64[3, 2]");
  CHECK(values_text(matrix) == "[[1, 2], [3, 4], [5, 6]]");
  CHECK(constant({{{1.0}}, {{2.0}}}).shape() == Shape({2, 1, 1}));
  CHECK(constant({{1.0}, {2.0}}).shape() == Shape({2, 1}));
  CHECK_THROWS_WITH(constant({{1.0, 2.0}, {3.0}}),
                    contains_text("equal lengths") && contains_text("creation_test.cpp"));
  CHECK_THROWS_WITH(constant({{1.0, 2.0}, 3.0}), contains_text("equal lengths"));
}

TEST_CASE("values fill a given shape in order, a number fills it alone") {
  CHECK(values_text(constant({1.0, 2.0, 3.0, 4.0}, Shape{2, 2})) == "[[1, 2], [3, 4]]");
  CHECK(values_text(constant(7, Shape{2}, DType::i32)) == "[7, 7]");
  const std::vector<float> values{1, 2};
  CHECK(values_text(constant(values, Shape{2, 1})) == "[[1], [2]]");
  CHECK_THROWS_WITH(constant(values, Shape{3}), contains_text("float32[3] needs 3 values, got 2"));
  const std::vector<std::int64_t> large{(std::int64_t{1} << 60) + 1};
  CHECK(constant(large, Shape{1}).data<std::int64_t>()[0] == (std::int64_t{1} << 60) + 1);
}

TEST_CASE("filled tensors and sequences") {
  CHECK(values_text(zeros({2})) == "[0, 0]");
  CHECK(values_text(ones({2}, DType::bf16)) == "[1, 1]");
  CHECK(values_text(eye(2, 3)) == "[[1, 0, 0], [0, 1, 0]]");
  CHECK(values_text(range(5)) == "[0, 1, 2, 3, 4]");
  CHECK(values_text(range(1, 2, 0.25, DType::f32)) == "[1, 1.25, 1.5, 1.75]");
  CHECK(values_text(range(3, 0, -1)) == "[3, 2, 1]");
  CHECK(range(3, 0).numel() == 0);
  CHECK_THROWS_WITH(range(0, 1, 0), contains_text("delta is 0"));
  CHECK(values_text(linspace(0, 1, 5)) == "[0, 0.25, 0.5, 0.75, 1]");
  CHECK(values_text(fill({3}, 2)) == "[2, 2, 2]");
  CHECK(fill({0, 3}, 2).numel() == 0);
}

TEST_CASE("fill passes the sum of the cotangents, zeros_like and ones_like pass none") {
  check_gradients([](const Tensors& x) { return Tensors{fill({2, 3}, x[0])}; }, {constant(1.5, DType::f64)});
  const Tensor x = constant({1.0, 2.0});
  GradientTape tape({.persistent = true});
  Tensor y, z;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = zeros_like(x);
    z = ones_like(x);
  }
  CHECK(values_text(y) == "[0, 0]");
  CHECK(values_text(z) == "[1, 1]");
  CHECK_FALSE(tape.gradient(y, x));
  CHECK_FALSE(tape.gradient(z, x));
}

TEST_CASE("a key names a draw") {
  const RandomKey key{3, 4};
  const Tensor a = stateless_random_normal({100}, key), b = stateless_random_normal({100}, key);
  CHECK(elements(a) == elements(b));
  CHECK(elements(a) != elements(stateless_random_normal({100}, {3, 5})));
  CHECK(elements(a) != elements(stateless_random_normal({100}, {4, 4})));
  // Word by word: a key above 32 bits is not cut.
  CHECK(elements(stateless_random_uniform({4}, {std::uint64_t{1} << 40, 0})) !=
        elements(stateless_random_uniform({4}, {0, 0})));
}

TEST_CASE("draws without a key go on, and start again with the seed") {
  set_seed(5);
  const std::vector<double> first = elements(random_uniform({8})), second = elements(random_uniform({8}));
  CHECK(first != second);
  set_seed(5);
  CHECK(elements(random_uniform({8})) == first);
  CHECK(elements(random_uniform({8})) == second);
}

TEST_CASE("random numbers have the distribution asked for") {
  constexpr int kCount = 20000;
  const std::vector<double> uniform = elements(stateless_random_uniform({kCount}, {1, 1}, -1, 3));
  double sum = 0;
  for (double x : uniform) {
    if (x < -1 || x >= 3) FAIL("out of range: " << x);
    sum += x;
  }
  // The mean of n draws is within 5 deviations; 4 / sqrt(12 n) each.
  CHECK(std::fabs(sum / kCount - 1) < 5 * 4 / std::sqrt(12.0 * kCount));
  double total = 0, squares = 0;
  for (double x : elements(stateless_random_normal({kCount}, {2, 1}, 1, 2))) {
    total += x;
    squares += (x - 1) * (x - 1);
  }
  CHECK(std::fabs(total / kCount - 1) < 5 * 2 / std::sqrt(double(kCount)));
  CHECK(squares / kCount == Approx(4).epsilon(0.06));
  for (double x : elements(stateless_truncated_normal({kCount}, {3, 1}))) {
    if (std::fabs(x) > 2) FAIL("beyond two deviations: " << x);
  }
  for (double x : elements(stateless_random_uniform({1000}, {4, 1}, 2, 5, DType::i32))) {
    if (x != 2 && x != 3 && x != 4) FAIL("not a whole number in [2, 5): " << x);
  }
  CHECK_THROWS_WITH(random_uniform({2}, 3, 3, DType::i32), contains_text("no whole numbers"));
  CHECK_THROWS_WITH(random_normal({2}, 0, 1, DType::i32), contains_text("floating"));
}
