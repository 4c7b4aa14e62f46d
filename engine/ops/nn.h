// Ops of neural networks: softmax and its losses, bias, convolution, pooling, normalization, dropout.
//
// Images are [n, height, width, channels], filters [height, width, in, out]; convolution does not flip the
// filter.
#pragma once
#include <utility>

#include "engine/gate/apply.h"
#include "engine/ops/creation.h"
#include "engine/ops/reduce.h"

namespace tapescope {

// e^x / sum e^x along an axis, computed from x - max(x).
Tensor softmax(const Arg& x, int axis = -1);
Tensor log_softmax(const Arg& x, int axis = -1);
// (g - sum(g y)) y and g - e^y sum(g), along the last axis: the gradients of both, from their outputs.
Tensor softmax_grad(const Arg& y, const Arg& g);
Tensor log_softmax_grad(const Arg& y, const Arg& g);

// The loss of each row of `logits` [..., classes]: -sum labels log softmax(logits). Labels are a distribution
// of the same shape (not renormalized), or class numbers of the shape of a row's index.
Tensor softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits, int axis = -1);
Tensor sparse_softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits);
// max(x, 0) - x z + log(1 + e^-|x|), elementwise.
Tensor sigmoid_cross_entropy_with_logits(const Arg& labels, const Arg& logits);
// The same with the positive term weighted.
Tensor weighted_cross_entropy_with_logits(const Arg& labels, const Arg& logits, double positive_weight);
Tensor l2_loss(const Arg& x);  // sum(x^2) / 2

// x + bias along the last dimension.
Tensor bias_add(const Arg& x, const Arg& bias);
Tensor bias_add_grad(const Arg& g);  // the sum over all dimensions but the last

// Height and width; one number for both.
struct Pair {
  Pair(int both) : height(both), width(both) {}
  Pair(int h, int w) : height(h), width(w) {}
  int height, width;
};
// "same": ceil(in / stride) outputs, the odd cell of margin at the end. "valid": no margins.
enum class ConvPadding { same, valid };

// FLOPs: 2 n h' w' kh kw in out. A filter whose `in` divides x's channels makes groups.
Tensor conv2d(const Arg& x, const Arg& filter, Pair strides = 1, ConvPadding padding = ConvPadding::same,
              Pair dilations = 1);
// The gradient of conv2d with respect to its input, as a layer. The filter is [height, width, out, in].
Tensor conv2d_transpose(const Arg& x, const Arg& filter, const Shape& output_shape, Pair strides = 1,
                        ConvPadding padding = ConvPadding::same);
// Each channel apart; the filter is [height, width, channels, multiplier].
Tensor depthwise_conv2d(const Arg& x, const Arg& filter, Pair strides = 1,
                        ConvPadding padding = ConvPadding::same, Pair dilations = 1);

// The largest, or the mean, of each window. Margins do not count. The gradient of a tie goes to the first
// element.
Tensor max_pool2d(const Arg& x, Pair size, Pair strides, ConvPadding padding = ConvPadding::valid);
Tensor avg_pool2d(const Arg& x, Pair size, Pair strides, ConvPadding padding = ConvPadding::valid);

// Mean and variance (over n) along axes.
std::pair<Tensor, Tensor> moments(const Arg& x, const Axes& axes, bool keepdims = false);
// (x - mean) rsqrt(variance + epsilon) scale + offset
Tensor batch_normalization(const Arg& x, const Arg& mean, const Arg& variance, const Arg& offset,
                           const Arg& scale, double epsilon);
Tensor layer_normalization(const Arg& x, const Arg& scale, const Arg& offset, double epsilon = 1e-3);
// Normalizes the channels of images by the batch's statistics.
struct BatchNorm {
  Tensor y, mean, variance;  // variance over n - 1, for running averages
};
BatchNorm fused_batch_norm_train(const Arg& x, const Arg& scale, const Arg& offset, double epsilon = 1e-3);
// The same by given statistics.
Tensor fused_batch_norm_inference(const Arg& x, const Arg& scale, const Arg& offset, const Arg& mean,
                                  const Arg& variance, double epsilon = 1e-3);

// x rsqrt(max(sum(x^2), epsilon))
Tensor l2_normalize(const Arg& x, const Axes& axes = {}, double epsilon = 1e-12);
// Zero with probability `rate`, else x / (1 - rate). With a key always the same elements.
Tensor dropout(const Arg& x, double rate);
Tensor dropout(const Arg& x, double rate, RandomKey key);

}  // namespace tapescope
