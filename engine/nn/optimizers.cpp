// The numbers each optimizer brings to its loop.
#include "engine/nn/optimizers.h"

namespace tapescope {
namespace {

template <class Options>
OptimizerOptions common(const Options& options) {
  return {.name = options.name,
          .weight_decay = options.weight_decay,
          .clipnorm = options.clipnorm,
          .global_clipnorm = options.global_clipnorm,
          .clipvalue = options.clipvalue,
          .gradient_accumulation_steps = options.gradient_accumulation_steps};
}

}  // namespace

SGD::SGD(double learning_rate, const SgdOptions& options, Location location)
    : Optimizer("SGD", learning_rate, common(options), {{options.momentum != 0 ? "momentum" : ""}}, location),
      numbers_{learning_rate, options.momentum, options.nesterov} {}

void SGD::begin(double learning_rate, std::int64_t) { numbers_.lr = learning_rate; }
const OpDef& SGD::update_row(updates::UpdateAttrs& attrs) const {
  attrs.numbers[0] = numbers_.momentum;
  attrs.flag = numbers_.nesterov;
  return updates::kApplySgd;
}
void SGD::update(DType type, const updates::Arrays& arrays) const { updates::run(numbers_, type, arrays); }

Adam::Adam(double learning_rate, const AdamOptions& options, Location location)
    : Adam("adam", learning_rate, options, location) {}

Adam::Adam(std::string_view kind, double learning_rate, const AdamOptions& options, const Location& location)
    : Optimizer(kind, learning_rate, common(options),
                {{"momentum", "velocity", options.amsgrad ? "velocity_hat" : ""}}, location),
      beta_1_(options.beta_1),
      beta_2_(options.beta_2),
      numbers_{0, 1 - options.beta_1, 1 - options.beta_2, options.epsilon} {}

void Adam::begin(double learning_rate, std::int64_t iteration) {
  numbers_ = updates::adam_at(beta_1_, beta_2_, numbers_.epsilon, learning_rate, iteration);
}
const OpDef& Adam::update_row(updates::UpdateAttrs& attrs) const {
  attrs.numbers[0] = beta_1_;
  attrs.numbers[1] = beta_2_;
  attrs.numbers[2] = numbers_.epsilon;
  return updates::kApplyAdam;
}
void Adam::update(DType type, const updates::Arrays& arrays) const { updates::run(numbers_, type, arrays); }

AdamW::AdamW(double learning_rate, const AdamWOptions& options, Location location)
    : Adam("adamw", learning_rate,
           {.beta_1 = options.beta_1,
            .beta_2 = options.beta_2,
            .epsilon = options.epsilon,
            .amsgrad = options.amsgrad,
            .weight_decay = options.weight_decay,
            .clipnorm = options.clipnorm,
            .clipvalue = options.clipvalue,
            .global_clipnorm = options.global_clipnorm,
            .gradient_accumulation_steps = options.gradient_accumulation_steps,
            .name = options.name},
           location) {}

RMSprop::RMSprop(double learning_rate, const RmsPropOptions& options, Location location)
    : Optimizer(
          "rmsprop", learning_rate, common(options),
          {{"velocity", options.momentum != 0 ? "momentum" : "", options.centered ? "average_gradient" : ""}},
          location),
      numbers_{learning_rate, options.rho, options.momentum, options.epsilon} {}

void RMSprop::begin(double learning_rate, std::int64_t) { numbers_.lr = learning_rate; }
const OpDef& RMSprop::update_row(updates::UpdateAttrs& attrs) const {
  attrs.numbers[0] = numbers_.rho;
  attrs.numbers[1] = numbers_.momentum;
  attrs.numbers[2] = numbers_.epsilon;
  return updates::kApplyRmsProp;
}
void RMSprop::update(DType type, const updates::Arrays& arrays) const {
  updates::run(numbers_, type, arrays);
}

Adagrad::Adagrad(double learning_rate, const AdagradOptions& options, Location location)
    : Optimizer("adagrad", learning_rate, common(options),
                {{"accumulator"}, options.initial_accumulator_value}, location),
      numbers_{learning_rate, options.epsilon} {}

void Adagrad::begin(double learning_rate, std::int64_t) { numbers_.lr = learning_rate; }
const OpDef& Adagrad::update_row(updates::UpdateAttrs& attrs) const {
  attrs.numbers[0] = numbers_.epsilon;
  return updates::kApplyAdagrad;
}
void Adagrad::update(DType type, const updates::Arrays& arrays) const {
  updates::run(numbers_, type, arrays);
}

}  // namespace tapescope
