// Forward against backward mode for every call of every op: <J v, u> = <v, J^T u>, and the same of the
// gradient itself.
#include <cmath>

#include "engine/ops/slices.h"
#include "engine/tape/forward.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Tensor direction(const Type& type, std::uint64_t seed) {
  return cast(stateless_random_uniform(type.shape, {seed, 5}, -1, 1, DType::f64), type.dtype);
}

struct Sum {
  double value = 0, size = 0;  // size: of the terms, which rounding goes with
  void add(const Tensor& a, const Tensor& b) {
    if (!a || !b) return;
    REQUIRE(a.shape() == b.shape());
    for (std::int64_t i = 0; i < a.numel(); ++i) {
      const double term = element(a, i) * element(b, i);
      value += term;
      size += std::fabs(term);
    }
  }
};

// A call with directions for its inputs and cotangents for its outputs.
struct Trial {
  const MadeCall& call;
  std::vector<Traced> sources;
  std::vector<Tensor> tangents;

  explicit Trial(const MadeCall& c) : call(c) {
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (!is_floating(call.inputs[i].dtype())) continue;
      bool again = false;  // the same tensor in two places is one primal
      for (const Traced& source : sources) again |= source.tensor().id() == call.inputs[i].id();
      if (again) continue;
      sources.push_back(call.inputs[i]);
      tangents.push_back(direction(call.inputs[i].type(), 100 + i));
    }
  }
  std::vector<Tensor> run() const { return run_call(call); }
  std::vector<Traced> floating(const std::vector<Tensor>& outputs, std::vector<Tensor>& cotangents) const {
    std::vector<Traced> targets;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (!is_floating(outputs[k].dtype())) continue;
      targets.push_back(outputs[k]);
      cotangents.push_back(direction(outputs[k].type(), 200 + k));
    }
    return targets;
  }
};

void compare(const Sum& forward, const Sum& backward) {
  const double size = std::max({1.0, forward.size, backward.size});
  CHECK(std::fabs(forward.value - backward.value) <= 1e-12 * size);
}

void first_order(const Trial& trial) {
  GradientTape tape;
  ForwardAccumulator accumulator(trial.sources, trial.tangents);
  std::vector<Tensor> outputs, cotangents;
  {
    auto recording = tape.record();
    for (const Traced& source : trial.sources) tape.watch(source);
    auto forward = accumulator.record();
    outputs = trial.run();
  }
  const std::vector<Traced> targets = trial.floating(outputs, cotangents);
  const std::vector<Tensor> gradients =
      tape.gradient(targets, trial.sources, {.output_gradients = cotangents});
  Sum forward, backward;
  for (std::size_t k = 0; k < targets.size(); ++k) forward.add(accumulator.jvp(targets[k]), cotangents[k]);
  for (std::size_t i = 0; i < gradients.size(); ++i) backward.add(gradients[i], trial.tangents[i]);
  compare(forward, backward);
}

// The gradient with cotangents that move with it, differentiated forward (an accumulator over the tape) and
// backward.
void second_order(const Trial& trial) {
  GradientTape outer;
  ForwardAccumulator accumulator(trial.sources, trial.tangents);
  std::vector<Traced> gradients;
  std::vector<Tensor> weights;
  {
    auto outside = outer.record();
    for (const Traced& source : trial.sources) outer.watch(source);
    auto forward = accumulator.record();
    GradientTape inner;
    std::vector<Tensor> outputs, cotangents;
    {
      auto inside = inner.record();
      for (const Traced& source : trial.sources) inner.watch(source);
      outputs = trial.run();
    }
    const std::vector<Traced> targets = trial.floating(outputs, cotangents);
    for (std::size_t k = 0; k < targets.size(); ++k) cotangents[k] = cotangents[k] * targets[k].tensor();
    std::size_t i = 0;
    for (const Tensor& gradient : inner.gradient(targets, trial.sources, {.output_gradients = cotangents})) {
      ++i;
      if (!gradient) continue;
      gradients.push_back(to_dense(gradient));  // a gather's is kept as rows, which no tape follows
      weights.push_back(direction(gradient.type(), 300 + i));
    }
  }
  if (gradients.empty()) return;
  const std::vector<Tensor> second = outer.gradient(gradients, trial.sources, {.output_gradients = weights});
  Sum forward, backward;
  for (std::size_t k = 0; k < gradients.size(); ++k) forward.add(accumulator.jvp(gradients[k]), weights[k]);
  for (std::size_t i = 0; i < second.size(); ++i) backward.add(second[i], trial.tangents[i]);
  compare(forward, backward);
}

template <class Check>
void each_call(std::int64_t size, Check check) {
  for (const MadeCall& call : op_calls(DType::f64, size)) {
    if (!call.op->vjp || call.inputs[0].dtype() == DType::resource) continue;
    const Trial trial(call);
    // Calls in other precisions are there for batches; rounding would be all there is to see here.
    bool exact = !trial.sources.empty();
    for (const Traced& source : trial.sources) exact &= source.type().dtype == DType::f64;
    if (!exact || (call.op->name == "Cast" && call.attrs.i[0] != static_cast<int>(DType::f64))) continue;
    // The mean of nothing, and what is made of it, has no derivative.
    bool finite = true;
    for (const Tensor& output : trial.run()) {
      for (double value : elements(output)) finite &= std::isfinite(value);
    }
    if (!finite) continue;
    INFO(call.text());
    check(trial);
  }
}

}  // namespace

TEST_CASE("forward and backward mode agree on every op to the last digits", "[forward]") {
  for (std::int64_t size : {3, 1, 0}) each_call(size, first_order);
}

TEST_CASE("forward and backward mode agree on every gradient", "[forward]") {
  for (std::int64_t size : {3, 1}) each_call(size, second_order);
}
