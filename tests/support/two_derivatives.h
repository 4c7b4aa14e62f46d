// The first and second derivative by two nested tapes, as programs take them.
#pragma once
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"

namespace tapescope {

struct TwoDerivatives {
  Tensor value, first, second;
};

// Of f(x) with respect to x; `of_gradient` is computed from the gradient inside the outer block, and
// differentiated in its place.
template <class Function, class OfGradient>
TwoDerivatives two_derivatives(const Tensor& x, Function f, OfGradient of_gradient) {
  TwoDerivatives found;
  GradientTape outer, inner;
  {
    auto recording_outer = outer.record();
    outer.watch(x);
    {
      auto recording = inner.record();
      inner.watch(x);
      found.value = f(x);
    }
    found.first = of_gradient(inner.gradient(found.value, x));
  }
  found.second = outer.gradient(found.first, x);
  return found;
}

template <class Function>
TwoDerivatives two_derivatives(const Tensor& x, Function f) {
  return two_derivatives(x, f, [](const Tensor& gradient) { return gradient; });
}

}  // namespace tapescope
