// The gradient of every call of every op against central differences: a new op is tested by its program in
// op_calls.cpp.
#include <cmath>

#include <fmt/format.h>

#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Where TensorFlow's gradient is by convention not the derivative, or has none where there is one.
bool is_convention(const MadeCall& call, std::size_t operand) {
  const std::string_view op = call.op->name;
  if (op == "Polygamma") return operand == 0;         // the order counts as a whole number
  if (op == "PadV2") return operand == 1;             // None for the filling
  if (op == "Cholesky") return true;                  // one triangle is read, the gradient is shared by both
  if (op == "FusedBatchNormV3") return operand >= 3;  // given statistics are constants
  // Statistics are constants, yet in training the gradient by x knows that they were made from it.
  if (op == "FusedBatchNormGradV3") return operand >= 3 || (operand == 1 && (call.attrs.flags & 1));
  return false;
}

// Other outputs are there for the backward pass: a gradient that reaches them is ignored or answered by
// convention.
std::size_t differentiated_outputs(const MadeCall& call, std::size_t all) {
  return call.op->name == "FusedBatchNormV3" || call.op->name == "SoftmaxCrossEntropyWithLogits" ? 1 : all;
}

Tensor weights_for(const Type& type) {
  return stateless_random_uniform(type.shape, {77, 5}, 0.5, 1.5, DType::f64);
}

// The weighted sum of all floating outputs.
double scalar_of(const MadeCall& call, const std::vector<Tensor>& inputs) {
  double total = 0;
  const std::vector<Tensor> outputs = run_call(call, inputs);
  for (std::size_t k = 0; k < differentiated_outputs(call, outputs.size()); ++k) {
    const Tensor& output = outputs[k];
    if (!is_floating(output.dtype())) continue;
    const Tensor weights = weights_for(output.type());
    for (std::int64_t i = 0; i < output.numel(); ++i) total += element(output, i) * element(weights, i);
  }
  return total;
}

std::vector<Tensor> gradients_of(const MadeCall& call, const std::vector<Traced>& sources) {
  GradientTape tape;
  std::vector<Traced> targets;
  std::vector<Tensor> cotangents;
  {
    const auto recording = tape.record();
    for (const Traced& source : sources) tape.watch(source);
    const std::vector<Tensor> outputs = run_call(call);
    for (std::size_t k = 0; k < differentiated_outputs(call, outputs.size()); ++k) {
      if (!is_floating(outputs[k].dtype())) continue;
      targets.emplace_back(outputs[k]);
      cotangents.push_back(weights_for(outputs[k].type()));
    }
  }
  return tape.gradient(targets, sources, {.output_gradients = cotangents});
}

// Element e of operand i moved by `step`, in every place where the operand stands.
double moved(const MadeCall& call, std::size_t i, std::int64_t e, double step) {
  std::vector<double> values = elements(call.inputs[i]);
  values[static_cast<std::size_t>(e)] += step;
  const Tensor other = make_tensor(values, call.inputs[i].shape(), DType::f64);
  std::vector<Tensor> inputs = call.inputs;
  for (Tensor& input : inputs) {
    if (input.id() == call.inputs[i].id()) input = other;
  }
  return scalar_of(call, inputs);
}

// "" when the gradient of operand i is what differences say. The two sides of a kink differ: there is no
// answer there.
std::string difference(const MadeCall& call, std::size_t i, const Tensor& gradient) {
  const double middle = scalar_of(call, call.inputs);
  for (std::int64_t e = 0; e < call.inputs[i].numel(); ++e) {
    const double step = 6e-6 * std::max(1.0, std::fabs(element(call.inputs[i], e)));
    const double above = moved(call, i, e, step), below = moved(call, i, e, -step);
    const double right = (above - middle) / step, left = (middle - below) / step,
                 slope = (above - below) / (2 * step);
    const double size = std::max({1.0, std::fabs(slope), std::fabs(middle)});
    if (std::fabs(right - left) > 1e-2 * size) continue;
    const double got = gradient ? element(gradient, e) : 0;
    if (!(std::fabs(got - slope) <= 1e-6 * size))
      return fmt::format("element {}: {} where differences say {}", e, got, slope);
  }
  return "";
}

}  // namespace

TEST_CASE("the gradient of every call of every op is what central differences say", "[gradient]") {
  std::size_t compared = 0;
  for (const std::int64_t size : {3, 1}) {
    for (const MadeCall& call : op_calls(DType::f64, size)) {
      if (!call.op->vjp || call.inputs[0].dtype() == DType::resource) continue;
      std::vector<Traced> sources;
      std::vector<std::size_t> operands;
      bool exact = true;
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        if (!is_floating(call.inputs[i].dtype())) continue;
        exact &= call.inputs[i].dtype() == DType::f64;
        sources.emplace_back(call.inputs[i]);
        operands.push_back(i);
      }
      if (!exact || (call.op->name == "Cast" && call.attrs.i[0] != static_cast<int>(DType::f64))) continue;
      const std::vector<Tensor> gradients = gradients_of(call, sources);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        if (is_convention(call, operands[s])) continue;
        const Tensor gradient = gradients[s] ? to_dense(gradients[s]) : Tensor();
        INFO(call.text() << ", operand " << operands[s]);
        CHECK(difference(call, operands[s], gradient) == "");
        ++compared;
      }
    }
  }
  CHECK(compared > 1000);
}
