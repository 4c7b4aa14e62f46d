// The list of the nn family's rows, and the functions that are made of other ops.
#include "engine/ops/nn.h"

#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/families.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {

std::span<const OpDef* const> nn_ops() {
  static constexpr const OpDef* kNnRows[] = {&kSoftmax,
                                             &kLogSoftmax,
                                             &kSoftmaxGrad,
                                             &kLogSoftmaxGrad,
                                             &kSoftmaxCrossEntropy,
                                             &kSparseSoftmaxCrossEntropy,
                                             &kL2Loss,
                                             &kBiasAdd,
                                             &kBiasAddGrad,
                                             &kConv2D,
                                             &kConv2DBackpropInput,
                                             &kConv2DBackpropFilter,
                                             &kDepthwise,
                                             &kDepthwiseBackpropInput,
                                             &kDepthwiseBackpropFilter,
                                             &kMaxPool,
                                             &kMaxPoolGrad,
                                             &kMaxPoolGradGrad,
                                             &kAvgPool,
                                             &kAvgPoolGrad,
                                             &kFusedBatchNorm,
                                             &kFusedBatchNormGrad};
  return kNnRows;
}

// Every op of a composite carries the line on which the composite was called: `at`.

Tensor sigmoid_cross_entropy_with_logits(const Arg& labels, const Arg& logits) {
  const Location& at = logits.location();
  const Tensor& x = logits.tensor(labels.is_number() ? DType::f32 : labels.tensor().dtype());
  const Tensor& z = labels.tensor(x.dtype());
  if (&x.type() != &z.type()) {
    refuse("SigmoidCrossEntropyWithLogits",
           fmt::format("labels {} and logits {} must have one type", z.type().text(), x.type().text()), at);
  }
  // Two selections instead of max and abs, so that the gradient at 0 is sigmoid(0) - z.
  const Tensor zero = zeros_like(Arg(x, at));
  const Tensor positive = greater_equal(Arg(x, at), Arg(zero, at));
  const Tensor relu_x = where(Arg(positive, at), Arg(x, at), Arg(zero, at));
  const Tensor negated = negative(Arg(x, at));
  const Tensor minus_abs = where(Arg(positive, at), Arg(negated, at), Arg(x, at));
  const Tensor product = multiply(Arg(x, at), Arg(z, at));
  const Tensor left = subtract(Arg(relu_x, at), Arg(product, at));
  const Tensor power = exp(Arg(minus_abs, at));
  const Tensor right = log1p(Arg(power, at));
  return add(Arg(left, at), Arg(right, at));
}

// (1 - z) x + (1 + (q - 1) z) (log(1 + e^-|x|) + relu(-x))
Tensor weighted_cross_entropy_with_logits(const Arg& labels, const Arg& logits, const Arg& positive_weight) {
  const Location& at = logits.location();
  const Tensor& x = logits.tensor();
  const Tensor& z = labels.tensor(x.dtype());
  const Tensor more = positive_weight.is_number()
                          ? Arg(positive_weight.number().real() - 1, at).tensor(x.dtype())
                          : subtract(Arg(positive_weight.tensor(), at), Arg(1, at));
  const Tensor weighted = multiply(Arg(more, at), Arg(z, at));
  const Tensor weight = add(Arg(1.0, at), Arg(weighted, at));
  const Tensor others = subtract(Arg(1.0, at), Arg(z, at));
  const Tensor linear = multiply(Arg(others, at), Arg(x, at));
  const Tensor minus_abs = negative(Arg(abs(Arg(x, at)), at));
  const Tensor soft = log1p(Arg(exp(Arg(minus_abs, at)), at));
  const Tensor hinge = relu(Arg(negative(Arg(x, at)), at));
  const Tensor bent = add(Arg(soft, at), Arg(hinge, at));
  const Tensor product = multiply(Arg(weight, at), Arg(bent, at));
  return add(Arg(linear, at), Arg(product, at));
}

// The mean inside the variance gets no gradient, as in TensorFlow: its part of the gradient is zero, but the
// second derivative shows it.
std::pair<Tensor, Tensor> moments(const Arg& x, const Axes& axes, bool keepdims) {
  const Location& at = x.location();
  const Tensor& t = x.tensor();
  const Tensor wide = is_half(t.dtype()) ? cast(Arg(t, at), DType::f32) : t;
  Tensor mean = reduce_mean(Arg(wide, at), axes, true);
  const Tensor held = stop_gradient(Arg(mean, at));
  const Tensor squares = squared_difference(Arg(wide, at), Arg(held, at));
  Tensor variance = reduce_mean(Arg(squares, at), axes, true);
  if (!keepdims) {
    mean = squeeze(Arg(mean, at), axes);
    variance = squeeze(Arg(variance, at), axes);
  }
  if (is_half(t.dtype())) return {cast(Arg(mean, at), t.dtype()), cast(Arg(variance, at), t.dtype())};
  return {mean, variance};
}

Tensor batch_normalization(const Arg& x, const Arg& mean, const Arg& variance, const Arg& offset,
                           const Arg& scale, const Arg& epsilon) {
  const Location& at = x.location();
  const Tensor& t = x.tensor();
  const DType dtype = t.dtype();
  const Tensor safe = add(Arg(variance.tensor(dtype), at), Arg(epsilon.tensor(dtype), at));
  const Tensor root = rsqrt(Arg(safe, at));
  const Tensor factor = multiply(Arg(root, at), Arg(scale.tensor(dtype), at));
  const Tensor shift = multiply(Arg(mean.tensor(dtype), at), Arg(factor, at));
  const Tensor rest = subtract(Arg(offset.tensor(dtype), at), Arg(shift, at));
  const Tensor scaled = multiply(Arg(t, at), Arg(factor, at));
  return add(Arg(scaled, at), Arg(rest, at));
}

Tensor layer_normalization(const Arg& x, const Arg& scale, const Arg& offset, const Arg& epsilon) {
  const Location& at = x.location();
  const auto [mean, variance] = moments(x, -1, true);
  return batch_normalization(x, Arg(mean, at), Arg(variance, at), offset, scale, epsilon);
}

Tensor l2_normalize(const Arg& x, const Axes& axes, const Arg& epsilon) {
  const Location& at = x.location();
  const Tensor& t = x.tensor();
  const Tensor squares = square(Arg(t, at));
  const Tensor sum = reduce_sum(Arg(squares, at), axes, true);
  const Tensor safe = maximum(Arg(sum, at), Arg(epsilon.tensor(t.dtype()), at));
  const Tensor factor = rsqrt(Arg(safe, at));
  return multiply(Arg(t, at), Arg(factor, at));
}

namespace {

Tensor drop(const Arg& x, const Arg& rate, const RandomKey* key) {
  const Location& at = x.location();
  const Tensor& t = x.tensor();
  const double share = rate.number().real();  // 0 for a tensor
  if (!(share >= 0 && share < 1))
    fail(ErrorKind::value, "dropout", fmt::format("rate {} is not in [0, 1)", share), &at);
  if (rate.is_number() && share == 0) return t;
  const Tensor uniform = key ? stateless_random_uniform(t.shape(), *key, 0, 1, t.dtype(), at)
                             : random_uniform(t.shape(), 0, 1, t.dtype(), at);
  const Tensor kept = greater_equal(Arg(uniform, at), Arg(rate.tensor(t.dtype()), at));
  const Tensor scaled = rate.is_number()
                            ? multiply(Arg(t, at), Arg(1 / (1 - share), at))
                            : divide(Arg(t, at), Arg(subtract(Arg(1, at), Arg(rate.tensor(), at)), at));
  return where(Arg(kept, at), Arg(scaled, at), Arg(0.0, at));
}

}  // namespace

Tensor dropout(const Arg& x, const Arg& rate) { return drop(x, rate, nullptr); }
Tensor dropout(const Arg& x, const Arg& rate, RandomKey key) { return drop(x, rate, &key); }

}  // namespace tapescope
