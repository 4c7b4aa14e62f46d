// gradients(): symbolic gradients of a graph that is being traced (tf.gradients;
// tensorflow-semantics.md, 5.1).
#pragma once
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/tape.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct GradientsOptions {
  std::vector<Tensor> grad_ys{};         // one for each of ys, None for ones; empty means ones
  std::vector<Traced> stop_gradients{};  // held constant: partial derivatives in place of total ones
  Unconnected unconnected = Unconnected::none;
};

// For each of xs the sum over all ys of dy/dx, as nodes of the graph; an absent tensor is None. Only what
// lies between xs and ys is differentiated, whether a tape was open or not. Integer xs give None. Throws
// RuntimeError outside of a trace: eager code has GradientTape. LookupError for an op between xs and ys that
// has no gradient registered.
std::vector<Tensor> gradients(std::span<const Traced> ys, std::span<const Traced> xs,
                              const GradientsOptions& options = {}, Location location = Location::current());
inline std::vector<Tensor> gradients(std::initializer_list<Traced> ys, std::initializer_list<Traced> xs,
                                     const GradientsOptions& options = {},
                                     Location location = Location::current()) {
  return gradients(std::span(ys.begin(), ys.size()), std::span(xs.begin(), xs.size()), options, location);
}

}  // namespace tapescope
