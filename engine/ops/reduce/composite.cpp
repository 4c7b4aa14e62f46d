// Functions made of reductions and elementwise ops, in the steps TensorFlow takes, so that edges agree.
#include "engine/core/slices.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope {

Tensor reduce_logsumexp(const Arg& x, const Axes& axes, bool keepdims) {
  const Location& at = x.location();
  const Tensor largest = reduce_max(x, axes, true);
  // An infinite maximum would make infinity minus infinity.
  const Tensor shift = stop_gradient({where({is_finite({largest, at}), at}, {largest, at}, {0, at}), at});
  const Tensor sum = reduce_sum({exp({subtract(x, {shift, at}), at}), at}, axes, keepdims);
  const Tensor logarithm = log({sum, at});
  return add({logarithm, at}, {reshape({shift, at}, logarithm.shape()), at});
}

Tensor reduce_variance(const Arg& x, const Axes& axes, bool keepdims) {
  const Location& at = x.location();
  const Tensor deviation = subtract(x, {reduce_mean(x, axes, true), at});
  return reduce_mean({square({deviation, at}), at}, axes, keepdims);
}

Tensor reduce_std(const Arg& x, const Axes& axes, bool keepdims) {
  return sqrt({reduce_variance(x, axes, keepdims), x.location()});
}

Tensor norm(const Arg& x, const Axes& axes, bool keepdims) {
  const Location& at = x.location();
  return sqrt({reduce_sum({multiply(x, x), at}, axes, keepdims), at});
}

Tensor clip_by_norm(const Arg& x, const Arg& limit, const Axes& axes) {
  const Location& at = x.location();
  const Tensor& most = limit.tensor(x.tensor().dtype(), "clip_by_norm");
  const Tensor sum = reduce_sum({multiply(x, x), at}, axes, true);
  // The root of 0 has an infinite gradient: 1 takes its place under the root.
  const Tensor positive = greater({sum, at}, {0, at});
  const Tensor safe = where({positive, at}, {sum, at}, {1, at});
  const Tensor length = where({positive, at}, {sqrt({safe, at}), at}, {sum, at});
  return divide({multiply(x, {most, at}), at}, {maximum({length, at}, {most, at}), at});
}

Tensor global_norm(std::span<const Tensor> tensors, Location location) {
  const Location& at = location;
  std::vector<Tensor> sums;
  for (const Tensor& tensor : tensors) {
    if (!tensor) continue;
    const SlicesExtension* slices = slices_of(tensor.impl());
    sums.push_back(reduce_sum({square({slices ? slices->values : tensor, at}), at}));
  }
  return sqrt({add_n(sums, at), at});
}

std::pair<std::vector<Tensor>, Tensor> clip_by_global_norm(std::span<const Tensor> tensors, const Arg& limit,
                                                           Location location) {
  const Location& at = location;
  const Tensor length = global_norm(tensors, at);
  // As it was computed by numbers: the reciprocal of one is rounded once.
  const Tensor& most = limit.tensor(length.dtype(), "clip_by_global_norm");
  const Tensor least = limit.is_number() ? Arg(1 / limit.number().real(), at).tensor(length.dtype())
                                         : divide({1, at}, {most, at});
  const Tensor factor = multiply({most, at}, {minimum({divide({1, at}, {length, at}), at}, {least, at}), at});
  // 0 for a finite norm, NaN otherwise: one bad gradient shows in all.
  const Tensor scale = add({factor, at}, {subtract({length, at}, {length, at}), at});
  std::vector<Tensor> clipped;
  for (const Tensor& tensor : tensors) {
    if (const SlicesExtension* slices = slices_of(tensor.impl())) {
      clipped.push_back(
          make_slices(multiply({slices->values, at}, {scale, at}), slices->indices, &tensor.type()));
    } else {
      clipped.push_back(tensor ? multiply({tensor, at}, {scale, at}) : Tensor());
    }
  }
  return {std::move(clipped), length};
}

}  // namespace tapescope
