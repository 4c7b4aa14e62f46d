// Functions with custom gradients and functions that run again, in the corners: the same tensor twice,
// integers, nothing at all, views, outputs without a use, other dtypes; on tapes, in forward mode and as
// Jacobians.
#include <thread>

#include "engine/ops/batch.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/custom_gradient.h"
#include "engine/tape/forward.h"
#include "engine/tape/recompute_grad.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

using Doubles = std::vector<double>;
using Body = RecomputeGrad::Body;

Tensor numbers(const Shape& shape, DType dtype = DType::f64) {
  Doubles values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) values.push_back(0.3 + 0.2 * static_cast<double>(i));
  return make_tensor(values, shape, dtype);
}

// Gradients of the sum of the first outputs that are floating; None stands as an empty list.
std::vector<Doubles> gradients_of(const Body& f, const std::vector<Tensor>& x, std::size_t used_outputs = 9) {
  GradientTape tape;
  std::vector<Traced> targets, sources(x.begin(), x.end());
  {
    const auto recording = tape.record();
    for (const Tensor& input : x) tape.watch(input);
    for (const Tensor& y : f(x)) {
      if (targets.size() < used_outputs) targets.emplace_back(y);
    }
  }
  std::vector<Doubles> found;
  for (const Tensor& gradient : tape.gradient(targets, sources))
    found.push_back(gradient ? elements(to_dense(gradient)) : Doubles());
  return found;
}

// d f(x) / d x[0] along ones.
Doubles tangent_of(const Body& f, const std::vector<Tensor>& x) {
  ForwardAccumulator accumulator(x[0], ones(x[0].shape(), x[0].dtype()));
  const auto recording = accumulator.record();
  const Tensor tangent = accumulator.jvp(f(x)[0]);
  return tangent ? elements(tangent) : Doubles();
}

Doubles jacobian_of(const Body& f, const std::vector<Tensor>& x, bool vectorized) {
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    const auto recording = tape.record();
    tape.watch(x[0]);
    y = f(x)[0];
  }
  const Tensor jacobian = tape.jacobian(y, x[0], {.vectorized = vectorized});
  return jacobian ? elements(jacobian) : Doubles();
}

// That running again changes nothing, in any way of asking.
void check_recomputed(const Body& f, const std::vector<Tensor>& x, std::size_t used_outputs = 9) {
  const RecomputeGrad recomputed(f);
  const Body again = [&](std::span<const Tensor> in) { return recomputed.call(in); };
  const auto plain = gradients_of(f, x, used_outputs), got = gradients_of(again, x, used_outputs);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_floating(x[i].dtype())) continue;
    // Unconnected arguments get zeros, as in TensorFlow.
    CHECK(got[i] == (plain[i].empty() ? Doubles(static_cast<std::size_t>(x[i].numel())) : plain[i]));
  }
  CHECK(tangent_of(again, x) == tangent_of(f, x));
  CHECK(jacobian_of(again, x, true) == jacobian_of(f, x, true));
  CHECK(jacobian_of(again, x, false) == jacobian_of(f, x, false));
}

}  // namespace

TEST_CASE("recompute_grad in the corners: the gradients of the function itself", "[corners]") {
  const Tensor x = numbers({2, 3}), y = numbers({3}), none = numbers({0, 3}),
               ids = constant({1, 0}, DType::i32);
  SECTION("the same tensor twice") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0] * sin(in[1])}; }, {x, x});
  }
  SECTION("the same tensor three times, one of them unused") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0] * exp(in[2])}; }, {x, x, x});
  }
  SECTION("broadcast arguments") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0] * in[1]}; }, {y, x});
  }
  SECTION("nothing at all") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0] * in[1]}; }, {none, y});
  }
  SECTION("integers beside it") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{gather(in[0] * in[0], in[1])}; },
                     {x, ids});
  }
  SECTION("the argument itself as output") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0]}; }, {x});
  }
  SECTION("a view of it as output") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{reshape(in[0], {3, 2})}; }, {x});
  }
  SECTION("another dtype inside") {
    check_recomputed(
        [](std::span<const Tensor> in) {
          return std::vector{cast(square(cast(in[0], DType::f32)), DType::f64)};
        },
        {x});
  }
  SECTION("two outputs, of which one is used") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{sin(in[0]), exp(in[0])}; }, {x}, 1);
  }
  SECTION("an output that stops the gradient") {
    check_recomputed([](std::span<const Tensor> in) { return std::vector{in[0] * stop_gradient(in[0])}; },
                     {x});
  }
}

TEST_CASE("custom_gradient in the corners", "[corners]") {
  const Tensor x = numbers({2, 3});
  // Says that the derivative is 10 by the first argument and 100 by the second.
  const CustomGradient custom = custom_gradient("custom", [](std::span<const Tensor> in) {
    return WithGradient{.outputs = {in[0] + in[1]}, .gradient = [](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * 10.0, dy[0] * 100.0};
                        }};
  });
  SECTION("the same tensor twice gets both gradients") {
    CHECK(gradients_of(
              [&](std::span<const Tensor> in) {
                return custom.call(std::vector{in[0], in[0]});
              },
              {x})[0] == Doubles(6, 110));
  }
  SECTION("integer arguments have no gradient, whatever the function says") {
    const Tensor n = constant({{1, 2, 3}, {4, 5, 6}}, DType::i32);
    const CustomGradient mixed = custom_gradient("mixed", [](std::span<const Tensor> in) {
      return WithGradient{.outputs = {in[0] * cast(in[1], DType::f64)},
                          .gradient = [n = in[1]](std::span<const Tensor> dy) {
                            return std::vector{dy[0] * cast(n, DType::f64), dy[0]};
                          }};
    });
    const auto found = gradients_of([&](std::span<const Tensor> in) { return mixed.call(in); }, {x, n});
    CHECK(found[0] == Doubles{1, 2, 3, 4, 5, 6});
    CHECK(found[1].empty());
  }
  SECTION("an output without a use gets zeros") {
    const CustomGradient pair = custom_gradient("pair", [](std::span<const Tensor> in) {
      return WithGradient{.outputs = {in[0] * 1.0, in[0] * 2.0}, .gradient = [](std::span<const Tensor> dy) {
                            REQUIRE(dy[1]);
                            return std::vector{dy[0] * 3.0 + dy[1] * 5.0};
                          }};
    });
    const Body f = [&](std::span<const Tensor> in) { return pair.call(in); };
    CHECK(gradients_of(f, {x}, 1)[0] == Doubles(6, 3));
    CHECK(gradients_of(f, {x}, 2)[0] == Doubles(6, 8));
  }
  SECTION("a function that returns its argument") {
    const CustomGradient same = custom_gradient("same", [](std::span<const Tensor> in) {
      return WithGradient{.outputs = {in[0]},
                          .gradient = [](std::span<const Tensor> dy) { return std::vector{dy[0] * 7.0}; }};
    });
    const Body f = [&](std::span<const Tensor> in) { return same.call(in); };
    CHECK(gradients_of(f, {x})[0] == Doubles(6, 7));
    CHECK(tangent_of(f, {x}) == Doubles(6, 7));
    CHECK(jacobian_of(f, {numbers({2})}, true) == Doubles{7, 0, 0, 7});
    CHECK(jacobian_of(f, {numbers({2})}, false) == Doubles{7, 0, 0, 7});
  }
  SECTION("nothing at all") {
    const auto found = gradients_of(
        [&](std::span<const Tensor> in) {
          return custom.call(std::vector{in[0], in[0]});
        },
        {numbers({0, 3})});
    CHECK(found[0].empty());
  }
  SECTION("rows as the gradient") {
    const CustomGradient first = custom_gradient("first_row", [](std::span<const Tensor> in) {
      return WithGradient{.outputs = {slice(in[0], {0, 0}, {1, 3})},
                          .gradient = [](std::span<const Tensor> dy) {
                            return std::vector{indexed_slices(dy[0], constant({0}, DType::i32), Shape{2, 3})};
                          }};
    });
    const Body f = [&](std::span<const Tensor> in) { return first.call(in); };
    CHECK(gradients_of(f, {x})[0] == Doubles{1, 1, 1, 0, 0, 0});
    CHECK(jacobian_of(f, {x}, true) == jacobian_of(f, {x}, false));
  }
}

TEST_CASE("a row of a batch that a program kept is refused once the batch has ended", "[corners]") {
  Tensor kept;
  {
    BatchMode mode(2);
    kept = mode.wrap(constant({{1.0, 2.0}, {3.0, 4.0}}));
    CHECK(elements(mode.unwrap(kept * 2.0)) == Doubles{2, 4, 6, 8});
  }
  const std::string message = error_of([&] { kept * 2.0; });
  CHECK(message.find("after the batch has ended") != std::string::npos);
  CHECK(message.find("corner_cases_test.cpp:") != std::string::npos);
}

TEST_CASE("an accumulator whose thread ended inside its block can be left and entered by another",
          "[corners][threads]") {
  const Tensor x = constant(3.0);
  ForwardAccumulator accumulator(x, constant(1.0));
  Tensor y;
  std::thread([&] {
    accumulator.enter();
    y = x * x;
  }).join();
  CHECK(item(accumulator.jvp(y)) == 6);
  accumulator.exit();
  const auto recording = accumulator.record();
  CHECK(item(accumulator.jvp(y * x)) == 27);
}

TEST_CASE("ten thousand watched variables are listed, each once, in creation order", "[corners][scale]") {
  std::vector<Variable> variables;
  for (int i = 0; i < 10'000; ++i) variables.emplace_back(constant(1.0), VariableOptions{.name = "v"});
  GradientTape tape;
  auto recording = tape.record();
  for (std::size_t i = variables.size(); i-- > 0;) tape.watch(variables[i]);
  for (const Variable& variable : variables) variable.value();
  CHECK(tape.watched_variables() == variables);
}
