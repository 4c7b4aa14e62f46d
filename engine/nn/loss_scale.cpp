// Dynamic loss scaling.
#include "engine/nn/loss_scale.h"

#include <fmt/format.h>

#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/program.h"

namespace tapescope {
namespace {

Variable state_variable(const char* name, double value, DType type, const Location& location) {
  return Variable(make_full(Shape{}, value, type), {.name = name, .trainable = false}, location);
}

void store(const Variable& variable, double value, const Location& location) {
  variable.assign(make_full(Shape{}, value, variable.dtype()), location);
}

}  // namespace

LossScale::LossScale(LossScaleOptions options, Location location) : options_(options) {
  if (!(options.initial_scale > 0) || options.dynamic_growth_steps < 1) {
    fail(ErrorKind::value, "LossScale",
         fmt::format("got a scale of {} and {} growth steps, expected a positive scale and at least one step",
                     options.initial_scale, options.dynamic_growth_steps),
         &location);
  }
  NameScope scope("loss_scale");
  scale_ = state_variable("dynamic_scale", options.initial_scale, DType::f32, location);
  steps_ = state_variable("step_counter", 0, DType::i64, location);
  skipped_ = state_variable("skipped_steps", 0, DType::i64, location);
}

Tensor LossScale::scale_loss(const Arg& loss) const {
  // A function reads the scale at each call: a number would stay as it was when it was traced.
  if (current_trace()) return multiply(loss, cast(scale_.value(), loss.tensor().dtype()));
  return multiply(loss, scale());
}

double LossScale::scale() const { return element_value(scale_.peek(), 0); }
std::int64_t LossScale::skipped_steps() const { return *skipped_.peek().data<std::int64_t>(); }

bool LossScale::apply_gradients(Optimizer& optimizer, std::span<const Tensor> gradients,
                                std::span<const Variable> variables, Location location) {
  if (current_trace()) {
    fail(
        ErrorKind::not_implemented, "LossScale",
        "whether a step is skipped is decided on the host, which a traced function does not have; return the "
        "gradients from the function and call apply_gradients() outside of it",
        &location);
  }
  const double by = scale();
  bool finite = true;
  unscaled_.assign(gradients.begin(), gradients.end());
  {
    Silence silence("loss_scale");
    for (Tensor& gradient : unscaled_) {
      if (!gradient) continue;
      gradient = multiply({gradient, location}, 1 / by);
      const Tensor fine = is_finite({gradient, location});
      finite = finite && element_value(reduce_all({fine, location}), 0) != 0;
    }
  }
  if (!finite) {
    store(scale_, by / 2, location);
    store(steps_, 0, location);
    store(skipped_, static_cast<double>(skipped_steps() + 1), location);
    return false;
  }
  optimizer.apply_gradients(unscaled_, variables, location);
  const std::int64_t steps = *steps_.peek().data<std::int64_t>() + 1;
  const bool grows = steps >= options_.dynamic_growth_steps;
  if (grows) store(scale_, by * 2, location);
  store(steps_, grows ? 0 : static_cast<double>(steps), location);
  return true;
}

}  // namespace tapescope
