// Gradient checkpointing: memory for time, as TensorFlow's tf.recompute_grad.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// A function whose intermediate tensors no tape keeps: its forward pass runs unrecorded, as one node called
// `inner`; the backward pass runs it once more, with the same random numbers, and differentiates that. Only
// the arguments stay alive between. Variables are read again: assign to them after the backward pass only.
// May be nested.
class RecomputeGrad {
 public:
  // Made once by a program; not on the per-op path.
  using Body = std::function<std::vector<Tensor>(std::span<const Tensor> x)>;
  explicit RecomputeGrad(Body body) : body_(std::move(body)) {}

  std::vector<Tensor> call(std::span<const Tensor> x, Location location = Location::current()) const;
  // For functions of one output.
  Tensor operator()(const Arg& x) const;
  Tensor operator()(const Arg& x, const Arg& y) const;

 private:
  Tensor one(std::span<const Tensor> x, const Location& location) const;

  Body body_;
};

inline RecomputeGrad recompute_grad(RecomputeGrad::Body body) { return RecomputeGrad(std::move(body)); }
// For functions of one tensor that return one; not on the per-op path.
RecomputeGrad recompute_grad(std::function<Tensor(const Tensor&)> body);

}  // namespace tapescope
