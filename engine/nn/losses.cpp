// Losses, op for op as Keras records them: the mean is a sum, then a division by a count.
#include "engine/nn/losses.h"

#include <fmt/format.h>

#include "engine/nn/activations.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

// Keras's epsilon(): keeps logarithms finite.
constexpr double kEpsilon = 1e-7;

Tensor clipped(const Tensor& p, double high, const Location& at) {
  return clip_by_value({p, at}, kEpsilon, high);
}

// t (1 - a) + a / parts
Tensor smoothed(const Tensor& labels, double smoothing, double parts, const Location& at) {
  if (smoothing == 0) return labels;
  const Tensor less = multiply({labels, at}, 1 - smoothing);
  return add({less, at}, smoothing / parts);
}

Tensor mean_of_last(const Tensor& x, const Location& at) { return reduce_mean({x, at}, -1); }

}  // namespace

Tensor Loss::of_examples(const Arg& labels, const Arg& predictions) const {
  const Location& at = predictions.location();
  const Tensor& given = predictions.tensor();
  // The tensor itself where nothing is cast: a loss looks up what made it.
  const Tensor values = is_half(given.dtype()) ? cast({given, at}, DType::f32) : given;
  const Tensor& truth = labels.tensor(values.dtype());
  return losses(labels_are_classes() ? truth : cast({truth, at}, values.dtype()), values, at);
}

Tensor Loss::reduced(const Tensor& losses, const Location& at) const {
  if (reduction_ == Reduction::none) return losses;
  const Tensor total = reduce_sum({losses, at});
  if (reduction_ == Reduction::sum) return total;
  return divide_no_nan({total, at}, static_cast<double>(losses.numel()));
}

Tensor Loss::operator()(const Arg& labels, const Arg& predictions) const {
  return reduced(of_examples(labels, predictions), predictions.location());
}

Tensor Loss::operator()(const Arg& labels, const Arg& predictions, const Arg& sample_weight) const {
  const Location& at = predictions.location();
  const Tensor losses = of_examples(labels, predictions);
  const Tensor weight = cast({sample_weight.tensor(losses.dtype()), at}, losses.dtype());
  return reduced(multiply({losses, at}, {weight, at}), at);
}

Tensor CategoricalCrossentropy::losses(const Tensor& labels, const Tensor& predictions,
                                       const Location& at) const {
  if (labels.shape() != predictions.shape()) {
    fail(ErrorKind::value, "CategoricalCrossentropy",
         fmt::format(
             "got labels of shape {} for predictions of shape {}, expected the same: a probability for each "
             "class; for class numbers use SparseCategoricalCrossentropy",
             labels.shape().text(), predictions.shape().text()),
         &at);
  }
  const Tensor truth = smoothed(labels, label_smoothing_, static_cast<double>(predictions.dim(-1)), at);
  const Tensor logits = from_logits_ ? predictions : logits_behind(predictions, Activation::softmax);
  if (logits) return softmax_cross_entropy_with_logits({truth, at}, {logits, at});
  Tensor p = divide({predictions, at}, {reduce_sum({predictions, at}, -1, true), at});
  p = clipped(p, 1 - kEpsilon, at);
  p = log({p, at});
  const Tensor sums = reduce_sum({multiply({truth, at}, {p, at}), at}, -1);
  return negative({sums, at});
}

Tensor SparseCategoricalCrossentropy::losses(const Tensor& labels, const Tensor& predictions,
                                             const Location& at) const {
  Tensor classes = is_integer(labels.dtype()) ? labels : cast({labels, at}, DType::i64);
  if (classes.rank() == predictions.rank() && classes.dim(-1) == 1) classes = squeeze({classes, at}, -1);
  Tensor logits = from_logits_ ? predictions : logits_behind(predictions, Activation::softmax);
  if (!logits) {
    const Tensor p = clipped(predictions, 1 - kEpsilon, at);
    logits = log({p, at});
  }
  return sparse_softmax_cross_entropy_with_logits({classes, at}, {logits, at});
}

Tensor BinaryCrossentropy::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor truth = smoothed(labels, label_smoothing_, 2, at);
  const Tensor logits = from_logits_ ? predictions : logits_behind(predictions, Activation::sigmoid);
  if (logits) return mean_of_last(sigmoid_cross_entropy_with_logits({truth, at}, {logits, at}), at);
  const Tensor p = clipped(predictions, 1 - kEpsilon, at);
  const Tensor log_p = log({p, at});
  const Tensor hit = multiply({truth, at}, {log_p, at});
  const Tensor other_truth = subtract({1.0, at}, {truth, at}), other_p = subtract({1.0, at}, {p, at});
  const Tensor log_other = log({other_p, at});
  const Tensor miss = multiply({other_truth, at}, {log_other, at});
  const Tensor both = add({hit, at}, {miss, at});
  return mean_of_last(negative({both, at}), at);
}

Tensor MeanSquaredError::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor difference = subtract({predictions, at}, {labels, at});
  return mean_of_last(square({difference, at}), at);
}

Tensor MeanAbsoluteError::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor difference = subtract({labels, at}, {predictions, at});
  return mean_of_last(abs({difference, at}), at);
}

Tensor LogCosh::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  constexpr double kLog2 = 0.69314718055994531;
  const Tensor difference = subtract({predictions, at}, {labels, at});
  const Tensor doubled = multiply({difference, at}, -2);
  const Tensor tail = softplus({doubled, at});
  const Tensor sum = add({difference, at}, {tail, at});
  return mean_of_last(subtract({sum, at}, kLog2), at);
}

Tensor Huber::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor difference = subtract({predictions, at}, {labels, at});
  const Tensor magnitude = abs({difference, at});
  const Tensor squares = square({difference, at});
  const Tensor inner = multiply({squares, at}, 0.5);
  const Tensor line = multiply({magnitude, at}, delta_);
  const Tensor outer = subtract({line, at}, 0.5 * delta_ * delta_);
  const Tensor small = less_equal({magnitude, at}, delta_);
  return mean_of_last(where({small, at}, {inner, at}, {outer, at}), at);
}

Tensor KLDivergence::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor t = clipped(labels, 1, at), p = clipped(predictions, 1, at);
  const Tensor ratio = divide({t, at}, {p, at});
  const Tensor logs = log({ratio, at});
  return reduce_sum({multiply({t, at}, {logs, at}), at}, -1);
}

Tensor Hinge::losses(const Tensor& labels, const Tensor& predictions, const Location& at) const {
  const Tensor zero_or_one = logical_or({equal({labels, at}, 0), at}, {equal({labels, at}, 1), at});
  const Tensor binary = reduce_all({zero_or_one, at});
  const Tensor doubled = multiply({labels, at}, 2);
  const Tensor spread = subtract({doubled, at}, 1);
  const Tensor truth = where({binary, at}, {spread, at}, {labels, at});
  const Tensor margin = multiply({truth, at}, {predictions, at});
  const Tensor missing = subtract({1.0, at}, {margin, at});
  return mean_of_last(maximum({missing, at}, 0), at);
}

}  // namespace tapescope
