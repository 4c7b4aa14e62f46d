// Reductions, scans and what is made of them: norms, moments, clipping by norm.
#pragma once
#include <array>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "engine/gate/apply.h"

namespace tapescope {

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

// x reduced over `axes`; with keepdims the reduced dimensions stay, of size 1. float32 sums are accumulated
// so that their error does not grow with the length. Throws InvalidArgument for an axis out of range.
Tensor reduce_sum(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_mean(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_max(const Arg& x, const Axes& axes = {}, bool keepdims = false);  // ties share the gradient
Tensor reduce_min(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_prod(const Arg& x, const Axes& axes = {}, bool keepdims = false);  // right at zeros
Tensor reduce_all(const Arg& x, const Axes& axes = {}, bool keepdims = false);   // boolean
Tensor reduce_any(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_euclidean_norm(const Arg& x, const Axes& axes = {}, bool keepdims = false);
// Composites, as in TensorFlow.
Tensor reduce_logsumexp(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor reduce_variance(const Arg& x, const Axes& axes = {}, bool keepdims = false);  // over n, not n - 1
Tensor reduce_std(const Arg& x, const Axes& axes = {}, bool keepdims = false);
Tensor norm(const Arg& x, const Axes& axes = {}, bool keepdims = false);  // sqrt(sum(x^2)): NaN gradient at 0

// Index of the first largest (smallest) element along an axis; int64 unless said otherwise; no gradient.
Tensor argmax(const Arg& x, int axis = 0, DType output = DType::i64);
Tensor argmin(const Arg& x, int axis = 0, DType output = DType::i64);

// Running sums and products. `exclusive` leaves an element itself out, `reverse` runs from the end.
// Unlike TensorFlow's, the gradient of cumprod is right at and below zeros.
Tensor cumsum(const Arg& x, int axis = 0, bool exclusive = false, bool reverse = false);
Tensor cumprod(const Arg& x, int axis = 0, bool exclusive = false, bool reverse = false);

// x * limit / max(norm(x), limit)
Tensor clip_by_norm(const Arg& x, double limit, const Axes& axes = {});
// sqrt of the sum of squares of all elements of all tensors; absent ones are skipped.
Tensor global_norm(std::span<const Tensor> tensors, Location location = Location::current());
// Scales all by limit / max(global_norm, limit); all become NaN when the norm is not finite. Returns the norm
// too.
std::pair<std::vector<Tensor>, Tensor> clip_by_global_norm(std::span<const Tensor> tensors, double limit,
                                                           Location location = Location::current());

std::span<const OpDef* const> reduce_ops();

}  // namespace tapescope
