// The optimizers' updates as ops, for graphs: ResourceApplyGradientDescent, ResourceApplyAdam,
// ResourceApplyRMSProp, ResourceApplyAdagrad. Outside of a trace an optimizer runs the same loops directly.
//
// Inputs: the variable's handle, its slots' handles, the learning rate, the iteration before the update, the
// gradient. Nothing comes out; no gradient. Attributes hold the numbers that do not change from step to step.
#pragma once
#include "engine/core/public.h"
#include "engine/gate/op.h"
#include "engine/nn/update_loops.h"

namespace tapescope {
namespace updates TAPESCOPE_PUBLIC {

extern const OpDef kApplySgd, kApplyAdam, kApplyRmsProp, kApplyAdagrad;

// What a row's attributes hold: weight decay as a share of the learning rate, which slots are given, and
// numbers.
struct UpdateAttrs {
  double decay = 0;
  std::uint32_t slots = 0;  // bit i: slot i
  double numbers[3] = {
      0, 0,
      0};  // Sgd: momentum; Adam: beta1, beta2, epsilon; RmsProp: rho, momentum, epsilon; Adagrad: epsilon
  bool flag = false;  // Sgd: Nesterov's

  Attrs packed() const;
  static UpdateAttrs unpacked(const Attrs& attrs);
};

// Adam's numbers at an iteration, counted from 1: the bias corrections are in alpha.
Adam adam_at(double beta_1, double beta_2, double epsilon, double learning_rate, std::int64_t iteration);

}  // namespace updates
}  // namespace tapescope
