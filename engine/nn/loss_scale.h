// Dynamic loss scaling: keeps float16 gradients out of the range where they vanish.
//
// The loss is multiplied by a scale before the gradient and the gradients are divided by it after. A step
// with any gradient that is not finite is skipped and halves the scale; 2,000 finite steps in a row double it
// (Keras 3's LossScaleOptimizer).
#pragma once
#include "engine/core/public.h"
#include "engine/nn/optimizer.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct LossScaleOptions {
  double initial_scale = 32768;  // 2^15
  std::int64_t dynamic_growth_steps = 2000;
};

class LossScale {
 public:
  explicit LossScale(LossScaleOptions options = {}, Location location = Location::current());

  // loss times scale, in the loss's dtype. Differentiable; call it on the tape. A function reads the scale at
  // each call.
  Tensor scale_loss(const Arg& loss) const;
  // Divides the gradients by the scale and lets the optimizer apply them; false when it was skipped, and then
  // neither the variables nor the optimizer's iterations change. Throws what apply_gradients() does.
  bool apply_gradients(Optimizer& optimizer, std::span<const Tensor> gradients,
                       std::span<const Variable> variables, Location location = Location::current());

  double scale() const;
  std::int64_t skipped_steps() const;
  // The gradients as the optimizer saw them last: divided by the scale.
  std::span<const Tensor> unscaled() const { return unscaled_; }
  // The scale, the finite steps in a row and the steps skipped.
  std::vector<Variable> variables() const { return {scale_, steps_, skipped_}; }

 private:
  LossScaleOptions options_;
  Variable scale_, steps_, skipped_;
  std::vector<Tensor> unscaled_;
};

}  // namespace tapescope
