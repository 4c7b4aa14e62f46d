// The function's second run happens on its own tape, inside the backward step.
#include "engine/tape/recompute_grad.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/ops/random_draws.h"
#include "engine/ops/shape.h"
#include "engine/tape/custom_gradient.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable_reads.h"

namespace tapescope {
namespace {

// What the backward pass needs of the forward pass.
struct Call {
  RecomputeGrad::Body body;
  std::vector<Tensor> x;
  std::vector<RandomKey> keys;
};

// A tensor that stands in several places is a source in each: its gradients there are added by the caller.
std::vector<Tensor> apart(std::span<const Tensor> x) {
  std::vector<Tensor> each;
  for (const Tensor& argument : x) {
    const bool again = std::any_of(each.begin(), each.end(),
                                   [&](const Tensor& earlier) { return earlier.id() == argument.id(); });
    each.push_back(again ? identity(argument) : argument);
  }
  return each;
}

VariableGradients differentiate_again(Call& call, std::span<const Tensor> dy,
                                      std::span<const Variable> variables) {
  const std::vector<Tensor> x = apart(call.x);
  GradientTape tape;
  std::vector<Traced> targets, sources;
  std::vector<std::size_t> of_argument;
  std::vector<Tensor> cotangents;
  {
    const auto recording = tape.record();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!is_floating(x[i].dtype())) continue;
      tape.watch(x[i]);
      sources.emplace_back(x[i]);
      of_argument.push_back(i);
    }
    for (const Variable& variable : variables) {
      tape.watch(variable);
      sources.emplace_back(variable);
    }
    RandomDraws same(call.keys, RandomDraws::Use::replay);
    const std::vector<Tensor> outputs = call.body(x);
    for (std::size_t k = 0; k < outputs.size() && k < dy.size(); ++k) {
      if (!is_floating(outputs[k].dtype())) continue;
      targets.emplace_back(outputs[k]);
      cotangents.push_back(dy[k]);
    }
  }
  std::vector<Tensor> found =
      tape.gradient(targets, sources, {.output_gradients = cotangents, .unconnected = Unconnected::zero});
  VariableGradients gradients;
  gradients.arguments.resize(x.size());
  for (std::size_t s = 0; s < of_argument.size(); ++s)
    gradients.arguments[of_argument[s]] = std::move(found[s]);
  gradients.variables.assign(found.begin() + static_cast<std::ptrdiff_t>(of_argument.size()), found.end());
  return gradients;
}

}  // namespace

std::vector<Tensor> RecomputeGrad::call(std::span<const Tensor> x, Location location) const {
  for (const Tensor& argument : x) {
    if (!argument)
      fail(ErrorKind::value, "recompute_grad", "an argument is None, expected a tensor", &location);
  }
  auto call = std::make_shared<Call>(Call{body_, {x.begin(), x.end()}, {}});
  VariableReads reads;
  WithGradient result;
  {
    const Silence silence("recompute_grad");
    RandomDraws noted(call->keys, RandomDraws::Use::note);
    result.outputs = body_(x);
  }
  for (const Tensor& output : result.outputs) {
    if (!output) fail(ErrorKind::value, "recompute_grad", "an output is None, expected a tensor", &location);
  }
  result.variable_gradient = [call](std::span<const Tensor> dy, std::span<const Variable> variables) {
    return differentiate_again(*call, dy, variables);
  };
  // The body reads them unrecorded: the tapes are notified here, as if it were read once.
  ThreadState& ts = state();
  if (ts.silenced == 0) {
    for (const Variable& variable : reads.variables()) {
      for (TapeListener* tape : ts.tapes)
        tape->variable_read(variable.handle(), variable.trainable(), location);
    }
  }
  return outputs_with_gradient("inner", x, reads.variables(), std::move(result), location);
}

Tensor RecomputeGrad::one(std::span<const Tensor> x, const Location& location) const {
  std::vector<Tensor> outputs = call(x, location);
  if (outputs.size() != 1) {
    fail(ErrorKind::value, "recompute_grad",
         fmt::format("the function has {} outputs; use call() for all of them", outputs.size()), &location);
  }
  return std::move(outputs[0]);
}

Tensor RecomputeGrad::operator()(const Arg& x) const { return one(std::vector{x.tensor()}, x.location()); }
Tensor RecomputeGrad::operator()(const Arg& x, const Arg& y) const {
  return one(std::vector{x.tensor(), y.tensor()}, x.location());
}

RecomputeGrad recompute_grad(std::function<Tensor(const Tensor&)> body) {
  return RecomputeGrad(
      [body = std::move(body)](std::span<const Tensor> x) { return std::vector{body(x[0])}; });
}

}  // namespace tapescope
