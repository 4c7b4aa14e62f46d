// One op, its vjp, and its differences.
#include "engine/tape/check_op.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/ops/ops.h"
#include "engine/tape/set_aside.h"
#include "engine/tape/tape.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBudget = std::chrono::milliseconds(50);  // a click should not be felt

OpCheck refuse(std::string why) {
  OpCheck check;
  check.why_not = std::move(why);
  return check;
}

std::vector<Tensor> run(const OpDef& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  std::vector<TensorImpl*> borrowed;
  for (const Tensor& input : inputs) borrowed.push_back(input.impl());
  TensorList outputs;
  apply(op, borrowed, attrs, Location::current(), outputs);
  return {outputs.span().begin(), outputs.span().end()};
}

// Different in each element, so that a permuted gradient shows.
Tensor weights_like(const Type& type) {
  Tensor weights(new_tensor(&type));
  for (std::int64_t i = 0; i < type.numel; ++i)
    set_element(weights.impl(), i, 0.3 + 0.1 * static_cast<double>((i * 7) % 11));
  return weights;
}

// The sum of weight times output over all outputs, in double.
double weighted(const std::vector<Tensor>& outputs, const std::vector<Tensor>& weights) {
  double sum = 0;
  for (std::size_t o = 0; o < outputs.size() && o < weights.size(); ++o) {
    if (!weights[o] || !is_floating(outputs[o].dtype())) continue;
    for (std::int64_t i = 0; i < outputs[o].numel(); ++i)
      sum += element_value(outputs[o], i) * element_value(weights[o], i);
  }
  return sum;
}

Tensor with_element(const Tensor& tensor, std::int64_t at, double value) {
  Tensor changed = make_from_bytes(tensor.dtype(), tensor.shape(), tensor.raw());
  set_element(changed.impl(), at, value);
  return changed;
}

struct Question {
  const OpDef* op = nullptr;
  std::vector<Tensor> inputs, weights, analytic;
};

// Fills in what is asked of a forward frame: cotangents by the op's own vjp.
void differentiate(Question& q, const Attrs& attrs) {
  GradientTape tape({.persistent = false});
  std::vector<Tensor> outputs;
  std::vector<Traced> sources;
  for (const Tensor& input : q.inputs) sources.emplace_back(input);
  {
    auto recording = tape.record();
    for (const Tensor& input : q.inputs) {
      if (is_floating(input.dtype())) tape.watch(input);
    }
    outputs = run(*q.op, q.inputs, attrs);
  }
  std::vector<Traced> targets;
  GradientOptions options;
  for (const Tensor& output : outputs) {
    q.weights.push_back(is_floating(output.dtype()) ? weights_like(output.type()) : Tensor());
    if (!q.weights.back()) continue;
    targets.emplace_back(output);
    options.output_gradients.push_back(q.weights.back());
  }
  q.analytic = tape.gradient(targets, sources, options);
}

}  // namespace

OpCheck check_op(const Frame& frame, std::int64_t most) {
  Question q;
  q.op = find_op(op_name_text(frame.op));
  if (q.op == nullptr || q.op->kernel == nullptr) return refuse("this op is not computed by one kernel");
  if (q.op->no_gradient != NoGradient::none) return refuse("this op has no gradient");
  if (q.op->flags & (OpDef::kRandom | OpDef::kStateful))
    return refuse("this op gives another value each time, or changes a state");
  for (const FrameTensor& input : frame.inputs) {
    if (!input.value || input.value.dtype() == DType::resource || input.value.impl()->extension)
      return refuse("one of its inputs is no plain tensor");
    q.inputs.push_back(input.value);
  }
  const Mute mute;
  const ListenersSetAside program(state());
  try {
    if (frame.backward) {
      constexpr const char* kNotKept =
          "its inputs are not kept for the backward pass; step back to the forward op";
      const std::size_t inputs = frame.cotangents_out.size();
      // A gradient that reads no value is the same everywhere: any inputs will do.
      if (q.op->saves == 0) q.inputs.clear();
      for (std::size_t i = 0; i < inputs; ++i) {
        const Tensor& cotangent = frame.cotangents_out[i].value;
        q.analytic.push_back(cotangent);
        if (q.op->saves & OpDef::in_bit(static_cast<int>(i))) continue;
        if (q.op->saves != 0 || !cotangent) return refuse(kNotKept);
        q.inputs.push_back(weights_like(cotangent.type()));
      }
      if (q.inputs.size() < inputs) return refuse(kNotKept);
      q.inputs.resize(inputs);
      for (const FrameTensor& cotangent : frame.cotangents_in) q.weights.push_back(cotangent.value);
    } else {
      differentiate(q, frame.attrs);
    }
    OpCheck check;
    std::vector<Tensor> wide;
    for (const Tensor& input : q.inputs)
      wide.push_back(is_floating(input.dtype()) ? cast(input, DType::f64) : input);
    try {
      run(*q.op, wide, frame.attrs);
    } catch (const Error&) {  // this op has no float64 form, or wants its inputs' own type
      wide = q.inputs;
      check.exact = false;
    }
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < wide.size(); ++i) {
      if (!q.analytic[i] || !is_floating(wide[i].dtype())) continue;
      const std::int64_t count = wide[i].numel(), take = std::min(count, most);
      for (std::int64_t k = 0; k < take && Clock::now() - begin < kBudget; ++k) {
        const std::int64_t at = k * count / take;
        const double x = element_value(wide[i], at),
                     h = (check.exact ? 1e-6 : 1e-2) * std::max(1.0, std::fabs(x));
        std::vector<Tensor> moved = wide;
        moved[i] = with_element(wide[i], at, x + h);
        const double above = weighted(run(*q.op, moved, frame.attrs), q.weights),
                     up = element_value(moved[i], at);
        moved[i] = with_element(wide[i], at, x - h);
        const double below = weighted(run(*q.op, moved, frame.attrs), q.weights),
                     down = element_value(moved[i], at);
        const double numeric = (above - below) / (up - down), analytic = element_value(q.analytic[i], at);
        const double apart =
            std::fabs(numeric - analytic) / std::max({1.0, std::fabs(numeric), std::fabs(analytic)});
        ++check.compared;
        if (check.input >= 0 && !(apart > check.largest)) continue;
        check.largest = apart;
        check.input = static_cast<int>(i);
        check.element = at;
        check.analytic = analytic;
        check.numeric = numeric;
      }
    }
    if (check.compared == 0) return refuse("no input of it gets a gradient");
    return check;
  } catch (const Error& error) {
    return refuse(error.what());
  }
}

}  // namespace tapescope
