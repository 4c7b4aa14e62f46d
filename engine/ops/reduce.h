// Reductions, scans and what is made of them: norms, moments, clipping by norm.
#pragma once
#include <array>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/gate/apply.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Axes to reduce: all of them unless given; negative ones count from the end.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : all_(false) { add(axis); }
  Axes(std::initializer_list<int> axes) : Axes(std::span(axes.begin(), axes.size())) {}
  // An empty span reduces nothing.
  explicit Axes(std::span<const int> axes) : all_(false) {
    for (int axis : axes) add(axis);
  }
  bool all() const { return all_; }
  std::span<const int> given() const { return {axes_.data(), static_cast<std::size_t>(count_)}; }

 private:
  void add(int axis) {
    // One beyond the largest rank is enough to be found out as too many.
    if (count_ < kMaxRank + 1) axes_[count_++] = axis;
  }
  std::array<int, kMaxRank + 1> axes_{};
  int count_ = 0;
  bool all_ = true;
};

// Reductions of numbers (real dtypes, int32, int64) over `axes`; with keepdims the reduced dimensions stay,
// of size 1. The dtype stays. float32 sums are accumulated so that their error does not grow with the length.
// NaN among the elements gives NaN. Throw InvalidArgument for an axis that is out of range or given twice, or
// another dtype.

// The sum; 0 of no elements. Gradient g, broadcast.
Tensor reduce_sum(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// The sum divided by the count; NaN of no elements. Gradient g / count, broadcast.
Tensor reduce_mean(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// The largest, the smallest. Elements that are equal to the result share its gradient equally.
Tensor reduce_max(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_min(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// The product; 1 of no elements. Gradient g times the product of the other elements, without a division:
// right at zeros. The second derivative is TensorFlow's, which is 0 where an element is 0.
Tensor reduce_prod(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// Whether all, whether any are true: boolean, of booleans, no gradient.
Tensor reduce_all(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_any(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// sqrt(sum(x^2)) of real dtypes, one op. Gradient x / (y / g): NaN where all elements are 0.
Tensor reduce_euclidean_norm(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// log(sum(e^x)), of ops on x - max(x): no overflow. Gradient g e^(x - y).
Tensor reduce_logsumexp(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// mean((x - mean(x))^2): over n, not n - 1. Gradient 2 g (x - mean(x)) / n.
Tensor reduce_variance(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// sqrt(reduce_variance). Where all elements are equal the gradient is NaN: infinite times 0.
Tensor reduce_std(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// sqrt(sum(x^2)), of three ops. Gradient g x / y: NaN where all elements are 0.
Tensor norm(const Arg& x, const Axes& axes = {}, bool keepdims = false);

// Index of the first largest (smallest) element along an axis, of any dtype but resource; no gradient.
// `output` is int32 or int64. Throw InvalidArgument for a dimension without elements.
Tensor argmax(const Arg& x, int axis = 0, DType output = DType::i64);
Tensor argmin(const Arg& x, int axis = 0, DType output = DType::i64);

// Running sum along an axis, in the shape of x. `exclusive` leaves an element itself out, `reverse` runs from
// the end. Gradient: the running sum of g the other way.
Tensor cumsum(const Arg& x, int axis = 0, bool exclusive = false, bool reverse = false);
// Running product. The gradient has no division: unlike TensorFlow's it is right at and below zeros.
Tensor cumprod(const Arg& x, int axis = 0, bool exclusive = false, bool reverse = false);

// x limit / max(norm(x), limit), with the norm over `axes`: no longer than `limit`, which may be a tensor and
// has a gradient then. Differentiable at the zero vector.
Tensor clip_by_norm(const Arg& x, const Arg& limit, const Axes& axes = {});
// sqrt of the sum of squares of all elements of all tensors. Absent tensors are skipped, slices count as
// their values are. Throws ValueError where no tensor is left.
Tensor global_norm(std::span<const Tensor> tensors, Location location = Location::current());
// Every tensor times limit / max(global_norm, limit), absent ones stay absent; and the norm. `limit` is as of
// clip_by_norm. A norm that is not finite makes all of them NaN, so that one bad gradient shows.
std::pair<std::vector<Tensor>, Tensor> clip_by_global_norm(std::span<const Tensor> tensors, const Arg& limit,
                                                           Location location = Location::current());

std::span<const OpDef* const> reduce_ops();

}  // namespace tapescope
