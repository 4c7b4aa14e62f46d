// Functions with a custom gradient.
#include "engine/tape/custom_gradient.h"

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/two_derivatives.h"

using namespace tapescope;

namespace {

// log(1 + e^x), whose gradient does not overflow.
CustomGradient log1pexp() {
  return custom_gradient("log1pexp", [](std::span<const Tensor> x) {
    const Tensor e = exp(x[0]);
    return WithGradient{.outputs = {log(1 + e)}, .gradient = [e](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * (1 - 1 / (1 + e))};
                        }};
  });
}

// f(x) with as many gradients as asked for.
CustomGradient returning(std::size_t count) {
  return custom_gradient("returning", [count](std::span<const Tensor> x) {
    return WithGradient{.outputs = {square(x[0])}, .gradient = [count](std::span<const Tensor> dy) {
                          return std::vector<Tensor>(count, dy[0]);
                        }};
  });
}

}  // namespace

TEST_CASE("custom_gradient: the gradient is the given one, where the tape's own is NaN", "[custom]") {
  const Tensor x = constant(100.0);
  const auto f = log1pexp();
  GradientTape tape({.persistent = true});
  Tensor y, plain;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
    plain = log(1 + exp(x));
  }
  CHECK(element(tape.gradient(y, x), 0) == 1);
  CHECK(std::isnan(element(tape.gradient(plain, x), 0)));
}

TEST_CASE("custom_gradient: a body of two ops makes four entries, and the walk goes round the body",
          "[custom]") {
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = custom_gradient("twice", [](std::span<const Tensor> in) {
      return WithGradient{.outputs = {exp(square(in[0]))},
                          .gradient = [](std::span<const Tensor> dy) { return std::vector{dy[0] * 2.0}; }};
    })(x);
  }
  CHECK(tape.counts().recorded == 4);
  CHECK(element(tape.gradient(y, x), 0) == 2);
  CHECK(tape.counts().backward_nodes == 1);
}

TEST_CASE("custom_gradient: several arguments and outputs; None is passed on", "[custom]") {
  const Tensor a = constant(2.0), b = constant(5.0);
  const auto f = custom_gradient("swap", [](std::span<const Tensor> x) {
    return WithGradient{.outputs = {identity(x[1]), identity(x[0])},
                        .gradient = [](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * 10.0 + dy[1], Tensor()};
                        }};
  });
  GradientTape tape({.persistent = true});
  std::vector<Tensor> y;
  Tensor sum;
  {
    auto recording = tape.record();
    tape.watch({a, b});
    y = f.call(std::vector{a, b});
    sum = y[0] + 3.0 * y[1];
  }
  REQUIRE(y.size() == 2);
  CHECK(element(y[0], 0) == 5);
  CHECK(element(y[1], 0) == 2);
  const std::vector<Tensor> gradients = tape.gradient(sum, {a, b});
  CHECK(element(gradients[0], 0) == 13);
  CHECK_FALSE(gradients[1]);
  const Explanation why = tape.explain(sum, b);
  CHECK(name_of(why.reason) == "custom_gradient_none");
  CHECK(why.edge.op == "swap");
}

TEST_CASE("custom_gradient: variables read inside get the gradients of variable_gradient", "[custom]") {
  const Variable w(constant(4.0), {.name = "w"});
  const Tensor x = constant(3.0);
  const auto f = custom_gradient("scaled", [&](std::span<const Tensor> in) {
    WithGradient result{.outputs = {in[0] * w}};
    result.variable_gradient = [x = in[0]](std::span<const Tensor> dy, std::span<const Variable> variables) {
      CHECK(variables.size() == 1);
      return VariableGradients{.arguments = {dy[0] * 100.0}, .variables = {dy[0] * x * 1000.0}};
    };
    return result;
  });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  const std::vector<Tensor> gradients = tape.gradient(y, {x, w});
  CHECK(element(gradients[0], 0) == 100);
  CHECK(element(gradients[1], 0) == 3000);
}

TEST_CASE("custom_gradient: mistakes raise what TensorFlow raises", "[custom]") {
  const Variable w(constant(4.0), {.name = "w"});
  const Tensor x = constant(3.0);
  const auto reads = custom_gradient("reads", [&](std::span<const Tensor> in) {
    return WithGradient{.outputs = {in[0] * w},
                        .gradient = [](std::span<const Tensor> dy) { return std::vector{dy[0]}; }};
  });
  CHECK(error_of([&] { reads(x); }).find("reads variable 'w'") != std::string::npos);
  CHECK(kind_of([&] { reads(x); }) == ErrorKind::type);
  for (const std::size_t count : {0u, 2u}) {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = returning(count)(x);
    }
    const std::string message = error_of([&] { tape.gradient(y, x); });
    CHECK(message.find(count == 0 ? "returned 0 gradients" : "returned 2 gradients") != std::string::npos);
    CHECK(message.find("expected 1") != std::string::npos);
    CHECK(message.find("custom_gradient_test.cpp") != std::string::npos);
  }
}

TEST_CASE("custom_gradient: a gradient of another shape is returned as it is", "[custom]") {
  const Tensor x = constant(3.0);
  const auto f = custom_gradient("odd", [](std::span<const Tensor> in) {
    return WithGradient{.outputs = {square(in[0])}, .gradient = [](std::span<const Tensor>) {
                          return std::vector{constant({1.0, 2.0, 3.0})};
                        }};
  });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  CHECK(tape.gradient(y, x).shape() == Shape{3});
}

TEST_CASE("custom_gradient: second order differentiates the gradient function by x and dy", "[custom]") {
  const Tensor x = constant(0.5, DType::f64);
  const TwoDerivatives found = two_derivatives(x, [](const Tensor& in) { return log1pexp()(in); });
  const double s = 1 / (1 + std::exp(-0.5));
  CHECK(element(found.first, 0) == Approx(s));
  CHECK(element(found.second, 0) == Approx(s * (1 - s)));
}

TEST_CASE("custom_gradient: what it holds is freed when the tape has used it", "[custom]") {
  const auto held = std::make_shared<int>(7);
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = custom_gradient("holder", [&](std::span<const Tensor> in) {
      return WithGradient{.outputs = {square(in[0])},
                          .gradient = [held](std::span<const Tensor> dy) { return std::vector{dy[0]}; }};
    })(x);
  }
  CHECK(held.use_count() == 2);
  tape.gradient(y, x);
  CHECK(held.use_count() == 1);
}
