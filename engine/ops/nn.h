// Ops of neural networks: softmax and its losses, bias, convolution, pooling, normalization, dropout.
//
// Images are [n, height, width, channels], filters [height, width, in, out]; convolution does not flip the
// filter. Real dtypes; halves are computed in float32. NaN gives NaN where it is read, unless said. g is the
// cotangent, y the result. All throw InvalidArgument, with op and line, for shapes that do not fit, dtypes
// that differ or are not floating. Conventions are TensorFlow's (nn_ops.py, nn_impl.py, nn_grad.py).
#pragma once
#include <utility>

#include "engine/core/public.h"
#include "engine/gate/apply.h"
#include "engine/ops/creation.h"
#include "engine/ops/reduce.h"

namespace tapescope TAPESCOPE_PUBLIC {

// e^x / sum e^x along an axis, computed from x - max(x): no overflow; NaN throughout where one is +infinity.
// Gradient (g - sum(g y)) y.
Tensor softmax(const Arg& x, int axis = -1);
// x - log sum e^x along an axis, likewise. Gradient g - e^y sum(g).
Tensor log_softmax(const Arg& x, int axis = -1);
// (g - sum(g y)) y and g - e^y sum(g), along the last axis: the gradients of both, from their outputs.
Tensor softmax_grad(const Arg& y, const Arg& g);
Tensor log_softmax_grad(const Arg& y, const Arg& g);

// -sum labels log softmax(logits) of each row of `logits` [..., classes] -> [...]. Labels are a distribution
// of the same type, not renormalized; where one is 0 its term is 0 whatever the logit. Gradients g
// (softmax(logits) - labels) for the logits, -g log softmax(logits) for the labels.
Tensor softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits, int axis = -1);
// The same for class numbers [...], int32 or int64, which get no gradient. Throws InvalidArgument for a
// number that is no class.
Tensor sparse_softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits);
// -z log sigmoid(x) - (1 - z) log(1 - sigmoid(x)) for logits x and labels z of one type, elementwise, as
// max(x, 0) - x z + log(1 + e^-|x|): no overflow. Gradients g (sigmoid(x) - z) for x, at 0 too, and -g x for
// z.
Tensor sigmoid_cross_entropy_with_logits(const Arg& labels, const Arg& logits);
// The same with the first term times positive_weight, which broadcasts and has the gradient of that product.
Tensor weighted_cross_entropy_with_logits(const Arg& labels, const Arg& logits, const Arg& positive_weight);
// sum(x^2) / 2, a scalar. Gradient g x.
Tensor l2_loss(const Arg& x);

// x + bias along the last dimension. Gradients g, and bias_add_grad(g) for the bias.
Tensor bias_add(const Arg& x, const Arg& bias);
Tensor bias_add_grad(const Arg& g);  // the sum over all dimensions but the last

// Height and width; one number for both.
struct HeightWidth {
  HeightWidth(int both) : height(both), width(both) {}
  HeightWidth(int h, int w) : height(h), width(w) {}
  int height, width;
};
// "same": ceil(in / stride) outputs, the odd cell of margin at the end. "valid": no margins.
enum class ConvPadding { same, valid };

// Sums of products of the filter with x under it, [n, h', w', out]. Gradients: the same sums turned round,
// over the outputs for x, over images for the filter. FLOPs: 2 n h' w' kh kw in out. A filter whose `in`
// divides x's channels makes groups.
Tensor conv2d(const Arg& x, const Arg& filter, HeightWidth strides = 1,
              ConvPadding padding = ConvPadding::same, HeightWidth dilations = 1);
// The gradient of conv2d with respect to its input, as a layer. The filter is [height, width, out, in].
Tensor conv2d_transpose(const Arg& x, const Arg& filter, const Shape& output_shape, HeightWidth strides = 1,
                        ConvPadding padding = ConvPadding::same);
// Each channel apart; the filter is [height, width, channels, multiplier].
Tensor depthwise_conv2d(const Arg& x, const Arg& filter, HeightWidth strides = 1,
                        ConvPadding padding = ConvPadding::same, HeightWidth dilations = 1);

// The largest, or the mean, of each window. Margins do not count. Gradient: g to the largest, a tie's to the
// first; g divided evenly among the window's elements.
Tensor max_pool2d(const Arg& x, HeightWidth size, HeightWidth strides,
                  ConvPadding padding = ConvPadding::valid);
Tensor avg_pool2d(const Arg& x, HeightWidth size, HeightWidth strides,
                  ConvPadding padding = ConvPadding::valid);

// Mean and variance (over n) along axes; halves in float32 between. The mean inside the variance is held
// constant: its part of the gradient is 0.
std::pair<Tensor, Tensor> moments(const Arg& x, const Axes& axes, bool keepdims = false);
// (x - mean) rsqrt(variance + epsilon) scale + offset, of elementwise ops that broadcast and have their
// gradients.
Tensor batch_normalization(const Arg& x, const Arg& mean, const Arg& variance, const Arg& offset,
                           const Arg& scale, const Arg& epsilon);
// The same by the moments of the last dimension.
Tensor layer_normalization(const Arg& x, const Arg& scale, const Arg& offset, const Arg& epsilon = 1e-3);
// Normalizes the channels of images by the batch's statistics, in one op. Gradients for x, which go through
// mean and variance too, scale and offset; halves have float32 scale, offset and statistics.
struct BatchNormResult {
  Tensor y, mean, variance;  // variance over n - 1, for running averages
};
BatchNormResult fused_batch_norm_train(const Arg& x, const Arg& scale, const Arg& offset,
                                       double epsilon = 1e-3);
// The same by given statistics, which get no gradient.
Tensor fused_batch_norm_inference(const Arg& x, const Arg& scale, const Arg& offset, const Arg& mean,
                                  const Arg& variance, double epsilon = 1e-3);

// x rsqrt(max(sum(x^2), epsilon)): of length 1 along the axes, 0 where x is 0.
Tensor l2_normalize(const Arg& x, const Axes& axes = {}, const Arg& epsilon = 1e-12);
// 0 with probability `rate`, else x / (1 - rate); x itself for a rate of 0. Gradient g scaled likewise, 0
// where dropped. With a key always the same elements. Throws ValueError for a rate outside of [0, 1). A rate
// that is a tensor is not checked; its gradient is that of x / (1 - rate) where kept.
Tensor dropout(const Arg& x, const Arg& rate);
Tensor dropout(const Arg& x, const Arg& rate, RandomKey key);

}  // namespace tapescope
