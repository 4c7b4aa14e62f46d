// Derivatives of a function that is given to be run: forward-mode Jacobians, Hessians, Hessian-vector
// products.
//
//   Tensor h = hessian([&] { return logistic_loss(images, labels, w); }, w);
//
// The function computes from x, a variable or a tensor it refers to, and is run as often as the method says.
#pragma once
#include <cstdint>
#include <functional>

#include "engine/core/public.h"
#include "engine/tape/tape.h"

namespace tapescope TAPESCOPE_PUBLIC {

namespace tapescope_inside {
// Called a few times for each derivative, not on the per-op path.
using Computation = std::function<Tensor()>;
}  // namespace tapescope_inside

// d f() / d x, of the shape y.shape + x.shape, by pushing the columns of the identity forward together: less
// work than tape.jacobian() where x has fewer elements than y, and no tape. Runs f once for every `chunk`
// columns (0: all of them in one run). None where f() does not depend on x; ValueError for more than 8
// dimensions.
Tensor forward_jacobian(const tapescope_inside::Computation& f, const Traced& x, std::int64_t chunk = 0,
                        Location location = Location::current());

enum class HessianMethod : std::uint8_t {
  nested_tapes,  // the rows of the gradient's Jacobian one after another: two tapes, n backward passes
  forward_over_reverse,  // the columns one after another: n runs of the function and its gradient under an
                         // accumulator
  vectorized,  // all columns in one run of the function: an accumulator over a tape, with batched tangents
};

// d^2 loss() / d x d x, of the shape x.shape + x.shape, of the sum of the loss's elements. None where the
// gradient does not depend on x: a linear loss has no Hessian, as it has no second derivative on nested
// tapes.
Tensor hessian(const tapescope_inside::Computation& loss, const Traced& x,
               HessianMethod method = HessianMethod::vectorized, Location location = Location::current());

// H v without H, by an accumulator over a tape: about the cost of two gradients. v has x's shape and dtype.
Tensor hessian_vector_product(const tapescope_inside::Computation& loss, const Traced& x, const Tensor& v,
                              Location location = Location::current());

}  // namespace tapescope
