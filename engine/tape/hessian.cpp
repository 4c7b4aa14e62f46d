// Compositions of tapes, accumulators and batches.
#include "engine/tape/hessian.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "engine/ops/batch.h"
#include "engine/ops/shape.h"
#include "engine/ops/slices.h"
#include "engine/tape/forward.h"
#include "engine/tape/identity.h"
#include "engine/tape/in_shape.h"

namespace tapescope {
namespace {

Shape joined(const Shape& a, const Shape& b, const Location& location) {
  if (a.rank() + b.rank() > kMaxRank) {
    fail(ErrorKind::value, "forward_jacobian",
         fmt::format("the result would have {} dimensions, those of {} and {}; the most is {} (hint: reshape "
                     "one of them)",
                     a.rank() + b.rank(), a.text(), b.text(), kMaxRank),
         &location);
  }
  Shape shape = a;
  for (std::int64_t size : b.dims()) shape.push_back(size);
  return shape;
}

// The last dimension first: [y.., n] from [n, y..].
Tensor columns_last(const Tensor& x, const Location& location) {
  Ints perm;
  for (int d = 1; d < x.rank(); ++d) perm.push_back(d);
  perm.push_back(0);
  return transpose(Arg(x, location), perm);
}

// Dense: a gather's gradient is kept as rows, which neither tapes nor accumulators follow.
Tensor gradient_of(const tapescope_inside::Computation& loss, const Traced& x, const Location& location) {
  GradientTape tape;
  Tensor value;
  {
    const auto recording = tape.record(location);
    tape.watch(x, location);
    value = loss();
  }
  const Tensor gradient = tape.gradient(value, x, {}, location);
  return gradient ? to_dense(gradient) : gradient;
}

Tensor nested(const tapescope_inside::Computation& loss, const Traced& x, const Location& location) {
  GradientTape outer({.persistent = true});
  Tensor gradient;
  {
    const auto recording = outer.record(location);
    outer.watch(x, location);
    gradient = gradient_of(loss, x, location);
  }
  return gradient ? outer.jacobian(gradient, x, {.vectorized = false}, location) : Tensor();
}

Tensor by_columns(const tapescope_inside::Computation& loss, const Traced& x, const Location& location) {
  const Type& type = x.type();
  std::vector<Tensor> columns;
  for (std::int64_t i = 0; i < type.numel; ++i) {
    const Tensor direction = reshape(Arg(identity_rows(type, i, 1), location), type.shape);
    const Tensor column = hessian_vector_product(loss, x, direction, location);
    if (!column) return Tensor();
    columns.push_back(column);
  }
  if (columns.empty()) return make_full(joined(type.shape, type.shape, location), 0, type.dtype);
  return in_shape(columns_last(stack(columns, 0, location), location),
                  joined(type.shape, type.shape, location), location);
}

}  // namespace

Tensor forward_jacobian(const tapescope_inside::Computation& f, const Traced& x, std::int64_t chunk,
                        Location location) {
  const Type& type = x.type();
  const std::int64_t columns = type.numel, most = chunk > 0 ? std::min(chunk, columns) : columns;
  std::vector<Tensor> parts;
  Shape shape;
  // At least one run, also without columns: it says of what shape the result is.
  for (std::int64_t first = 0; first < std::max<std::int64_t>(columns, 1);
       first += std::max<std::int64_t>(most, 1)) {
    const std::int64_t count = std::min(most, columns - first);
    BatchMode mode(count);
    ForwardAccumulator accumulator(x, mode.wrap_identity(identity_rows(type, first, count), first), location);
    Tensor y;
    {
      const auto recording = accumulator.record(location);
      y = f();
      if (y) y = to_dense(y);
    }
    const Tensor moved = accumulator.jvp(y);
    if (!moved) return Tensor();
    shape = joined(y.shape(), type.shape, location);
    parts.push_back(mode.unwrap(moved));
  }
  return in_shape(columns_last(concat(parts, 0, location), location), shape, location);
}

Tensor hessian_vector_product(const tapescope_inside::Computation& loss, const Traced& x, const Tensor& v,
                              Location location) {
  ForwardAccumulator accumulator(x, v, location);
  Tensor gradient;
  {
    const auto recording = accumulator.record(location);
    gradient = gradient_of(loss, x, location);
  }
  return gradient ? accumulator.jvp(gradient) : Tensor();
}

Tensor hessian(const tapescope_inside::Computation& loss, const Traced& x, HessianMethod method,
               Location location) {
  switch (method) {
    case HessianMethod::nested_tapes: return nested(loss, x, location);
    case HessianMethod::forward_over_reverse: return by_columns(loss, x, location);
    case HessianMethod::vectorized: break;
  }
  return forward_jacobian(
      [&] {
        Tensor gradient = gradient_of(loss, x, location);
        // Without a gradient there is nothing to push; a constant moves with nothing, which gives None.
        return gradient ? gradient : make_full(x.type().shape, 0, x.type().dtype);
      },
      x, 0, location);
}

}  // namespace tapescope
