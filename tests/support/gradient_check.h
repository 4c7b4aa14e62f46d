// Gradients by central differences: the judge of every vjp, first and second.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

namespace tapescope {

using Tensors = std::vector<Tensor>;
using TensorsFunction = std::function<Tensors(const Tensors&)>;

// Different for every element, so that a permuted gradient shows.
inline Tensor check_weights(const Type& type) {
  Tensor weights(new_tensor(&type));
  for (std::int64_t i = 0; i < type.numel; ++i)
    set_element(weights.impl(), i, 0.3 + 0.1 * static_cast<double>((i * 7) % 11));
  return weights;
}

// sum of all floating outputs, weighted.
inline Tensor check_scalar(const Tensors& outputs) {
  Tensor total;
  for (const Tensor& output : outputs) {
    if (!is_floating(output.dtype())) continue;
    const Tensor part = reduce_sum(output * check_weights(output.type()));
    total = total ? total + part : part;
  }
  return total;
}

inline Tensors tape_gradients(const TensorsFunction& f, const Tensors& inputs) {
  GradientTape tape;
  Tensor total;
  std::vector<Traced> sources(inputs.begin(), inputs.end());
  {
    auto recording = tape.record();
    for (const Tensor& input : inputs) tape.watch(input);
    total = check_scalar(f(inputs));
  }
  return tape.gradient(total, std::span<const Traced>(sources));
}

// Compares the tape's gradient of every float64 input with central differences.
inline void check_gradients(const TensorsFunction& f, const Tensors& inputs, double tolerance = 1e-7) {
  const Tensors gradients = tape_gradients(f, inputs);
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    const std::vector<double> values = elements(inputs[n]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double step = 6e-6 * std::max(1.0, std::fabs(values[i]));
      double sides[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<double> moved = values;
        moved[i] += side == 0 ? -step : step;
        Tensors changed = inputs;
        changed[n] = make_tensor(moved, inputs[n].shape(), inputs[n].dtype());
        sides[side] = element(check_scalar(f(changed)), 0);
      }
      const double expected = (sides[1] - sides[0]) / (2 * step);
      const double got = gradients[n] ? element(gradients[n], static_cast<std::int64_t>(i)) : 0;
      INFO("input " << n << ", element " << i);
      CHECK(got == Approx(expected).epsilon(tolerance).margin(tolerance));
    }
  }
}

// The same of the gradients themselves: second derivatives.
inline void check_second_gradients(const TensorsFunction& f, const Tensors& inputs, double tolerance = 1e-6) {
  const TensorsFunction gradients = [&f](const Tensors& at) {
    Tensors present;
    for (const Tensor& gradient : tape_gradients(f, at)) {
      if (gradient) present.push_back(gradient);
    }
    return present;
  };
  check_gradients(gradients, inputs, tolerance);
}

// Numbers that do not repeat, away from zero and from one another.
inline Tensor check_input(const Shape& shape, double low = -2, double high = 2, int seed = 1) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::fmod(0.754877666 * static_cast<double>(i + 1) + 0.569840296 * seed, 1.0);
    values[i] = low + (high - low) * x;
  }
  return make_tensor(values, shape, DType::f64);
}

}  // namespace tapescope
