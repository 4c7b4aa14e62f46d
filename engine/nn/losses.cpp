// Losses, op for op as Keras records them: the mean is a sum, then a division by a count.
#include "engine/nn/losses.h"

#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/reduce.h"

namespace tapescope {
namespace {

// Keras's epsilon(): keeps logarithms finite.
constexpr double kEpsilon = 1e-7;

Tensor mean_over_batch(const Tensor& losses, const Location& location) {
  const auto count = static_cast<double>(losses.numel());
  const Tensor total = reduce_sum({losses, location});
  return divide_no_nan({total, location}, count);
}

}  // namespace

Tensor CategoricalCrossentropy::operator()(const Arg& labels, const Arg& predictions) const {
  const Location& at = predictions.location();
  const Tensor& logits = predictions.tensor();
  Tensor truth = labels.tensor();
  if (label_smoothing_ != 0) {
    const auto classes = static_cast<double>(logits.dim(-1));
    truth = multiply({truth, at}, 1 - label_smoothing_);
    truth = add({truth, at}, label_smoothing_ / classes);
  }
  if (from_logits_) return mean_over_batch(softmax_cross_entropy_with_logits({truth, at}, {logits, at}), at);
  Tensor p = divide({logits, at}, {reduce_sum({logits, at}, -1, true), at});
  p = clip_by_value({p, at}, kEpsilon, 1 - kEpsilon);
  p = log({p, at});
  const Tensor sums = reduce_sum({multiply({truth, at}, {p, at}), at}, -1);
  return mean_over_batch(negative({sums, at}), at);
}

Tensor MeanSquaredError::operator()(const Arg& labels, const Arg& predictions) const {
  const Location& at = predictions.location();
  const Tensor difference = subtract(predictions, labels);
  const Tensor squares = square({difference, at});
  return mean_over_batch(reduce_mean({squares, at}, -1), at);
}

}  // namespace tapescope
