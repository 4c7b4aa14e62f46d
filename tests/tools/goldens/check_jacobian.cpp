// Jacobians, the Hessian, forward mode and successive derivatives of the functions that make_goldens.py
// names.
#include <fmt/format.h>

#include "engine/ops/ops.h"
#include "engine/tape/forward.h"
#include "engine/tape/tape.h"
#include "tests/tools/goldens/check.h"

namespace tapescope::goldens {
namespace {

// tanh(tanh(x w1) w2)
Tensor net(const Tensor& x, const Tensor& w1, const Tensor& w2) {
  return tanh(matmul(tanh(matmul(x, w1)), w2));
}

// Asks a tape about the net of inputs 1 and 2 at input 0.
template <class Ask>
Tensor ask_net(const Tensors& in, Driver& driver, Ask ask) {
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    const auto recording = tape.record();
    driver.given(in[0]);
    tape.watch(in[0]);
    y = driver.call([&](std::span<const Tensor> x) { return Tensors{net(x[0], in[1], in[2])}; },
                    {in.data(), 1})[0];
  }
  return ask(tape, y);
}

Tensors hessian_of(const Tensors& in, Driver& driver) {
  GradientTape outer, inner;
  Tensor loss, gradient;
  {
    const auto outer_recording = outer.record();
    driver.given(in[0]);
    outer.watch(in[0]);
    {
      const auto recording = inner.record();
      inner.watch(in[0]);
      const Function cubed = [&](std::span<const Tensor> x) {
        return Tensors{reduce_sum(pow(net(expand_dims(x[0], 0), in[1], in[2]), 3.0))};
      };
      loss = driver.call(cubed, {in.data(), 1})[0];
    }
    gradient = driver.gradient(inner, std::vector<Traced>{loss}, std::vector<Traced>{in[0]}, {})[0];
  }
  return {loss, gradient, outer.jacobian(gradient, in[0])};
}

Tensor pushed_forward(const Tensors& in, Driver& driver) {
  ForwardAccumulator accumulator(in[0], in[3]);
  const auto recording = accumulator.record();
  const Tensors y = driver.call([&](std::span<const Tensor> x) { return Tensors{net(x[0], in[1], in[2])}; },
                                {in.data(), 1});
  return accumulator.jvp(y[0]);
}

// sin(x) x^4 + exp(-x), differentiated as often as there are outputs, on one persistent tape.
Tensors orders(const Tensor& x, std::size_t count, Driver& driver) {
  GradientTape tape({.persistent = true});
  const auto recording = tape.record();
  driver.given(x);
  tape.watch(x);
  Tensor y = driver.call(
      [](std::span<const Tensor> at) { return Tensors{sin(at[0]) * pow(at[0], 4.0) + exp(-at[0])}; },
      {&x, 1})[0];
  Tensors found;
  for (std::size_t k = 0; k < count; ++k) {
    y = driver.gradient(tape, std::vector<Traced>{y}, std::vector<Traced>{x}, {})[0];
    found.push_back(y);
  }
  return found;
}

}  // namespace

Known check_jacobian(const Json& test, Driver& driver, Comparison& comparison) {
  const std::string op = test.at("op").get<std::string>();
  const Tensors in = read_tensors(test.at("inputs"));
  const Json& expected = test.at("outputs");
  if (op == "jacobian" || op == "batch_jacobian") {
    // In one pass with batched rows, and row by row.
    for (const bool vectorized : {true, false}) {
      const JacobianOptions options{.vectorized = vectorized};
      const Tensor found = ask_net(in, driver, [&](GradientTape& tape, const Tensor& y) {
        return op == "jacobian" ? tape.jacobian(y, in[0], options) : tape.batch_jacobian(y, in[0], options);
      });
      comparison.tensors(vectorized ? "outputs" : "outputs (row by row)", expected, {&found, 1});
    }
  } else if (op == "hessian") {
    comparison.tensors("outputs", expected, hessian_of(in, driver));
  } else if (op == "jvp") {
    const Tensor found = pushed_forward(in, driver);
    comparison.tensors("outputs", expected, {&found, 1});
  } else if (op == "orders") {
    comparison.tensors("outputs", expected, orders(in[0], expected.size(), driver));
  } else {
    return Known::no;
  }
  return Known::yes;
}

}  // namespace tapescope::goldens
