// Functions with their own gradient, as TensorFlow's tf.custom_gradient.
//
//   const CustomGradient log1pexp = custom_gradient("log1pexp", [](std::span<const Tensor> x) {
//     const Tensor e = exp(x[0]);
//     return WithGradient{.outputs = {log(1 + e)},
//                         .gradient = [e](std::span<const Tensor> dy) { return std::vector{dy[0] * (1 - 1 /
//                         (1 + e))}; }};
//   });
//   Tensor y = log1pexp(x);
//
// The ops of the body are recorded, then one node of the function's name whose gradient passes them by.
// Higher derivatives differentiate the ops that the gradient function runs.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/public.h"
#include "engine/gate/op.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Gradients of a function that reads variables: one an argument, one a variable.
struct VariableGradients {
  std::vector<Tensor> arguments{};
  std::vector<Tensor> variables{};
};

// What the body of such a function returns. Exactly one of the two gradient functions is given; the second
// one where the body reads trainable variables that are not its arguments. They get one cotangent an output
// and return one gradient an argument; None is allowed and passed on.
struct WithGradient {
  std::vector<Tensor> outputs{};
  // Handed in once a call; not on the per-op path.
  std::function<std::vector<Tensor>(std::span<const Tensor> dy)> gradient{};
  // Not on the per-op path either.
  std::function<VariableGradients(std::span<const Tensor> dy, std::span<const Variable> variables)>
      variable_gradient{};
};

// Made once by a program; not on the per-op path.
using CustomFunction = std::function<WithGradient(std::span<const Tensor> x)>;

class CustomGradient {
 public:
  CustomGradient(std::string_view name, CustomFunction function)
      : name_(name), function_(std::move(function)) {}

  // TypeError where the body reads variables and has no variable_gradient, or has no gradient function at
  // all. ValueError during the backward pass where the number of gradients is not that of arguments or
  // variables.
  std::vector<Tensor> call(std::span<const Tensor> x, Location location = Location::current()) const;
  // For functions of one output.
  Tensor operator()(const Arg& x) const;
  Tensor operator()(const Arg& x, const Arg& y) const;
  Tensor operator()(const Arg& x, const Arg& y, const Arg& z) const;

 private:
  Tensor one(std::initializer_list<Tensor> x, const Location& location) const;

  std::string name_;
  CustomFunction function_;
};

inline CustomGradient custom_gradient(std::string_view name, CustomFunction function) {
  return {name, std::move(function)};
}

// Runs the op that stands for outputs computed already: its gradient with respect to `x` and the variables is
// that of `closure`. For custom_gradient and recompute_grad.
std::vector<Tensor> outputs_with_gradient(std::string_view name, std::span<const Tensor> x,
                                          std::vector<Variable> variables, WithGradient closure,
                                          const Location& location);
// Whether the op is one of those.
bool is_custom_gradient(const OpDef& op);
// Of a call of such an op in a graph: how many inputs, from kFirstHeld on, are tensors that its gradient
// function holds. Without them, the call's attributes changed too, it is this op; no gradient of it is taken
// then.
inline constexpr int kFirstHeld = 2;
int held_inputs(const OpDef& op, const Attrs& attrs);
const OpDef& without_held(const OpDef& op, Attrs& attrs);

}  // namespace tapescope
