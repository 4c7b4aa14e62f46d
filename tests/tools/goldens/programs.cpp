// The small programs; "text" of each case says the same in words. Inputs in the order of "names".
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

Tensors mlp_xent(Tensorspan in, const Attributes&) {
  const Tensor &x = in[0], &w1 = in[1], &b1 = in[2], &w2 = in[3], &b2 = in[4], &labels = in[5];
  const Tensor logits = matmul(relu(matmul(x, w1) + b1), w2) + b2;
  return {reduce_mean(softmax_cross_entropy_with_logits(stop_gradient(Arg(labels)), logits))};
}

Tensors attention(Tensorspan in, const Attributes&) {
  const Tensor &q = in[0], &k = in[1], &v = in[2];
  return {reduce_sum(matmul(softmax(matmul(q, k, false, true) / 2.0), v) * v)};
}

Tensors layer_norm(Tensorspan in, const Attributes&) {
  const Tensor &x = in[0], &gamma = in[1], &beta = in[2];
  const Tensor centered = x - reduce_mean(x, -1, true);
  return {reduce_mean(square(centered * rsqrt(reduce_variance(x, -1, true) + 1e-5) * gamma + beta))};
}

Tensors rnn(Tensorspan in, const Attributes&) {
  const Tensor &x = in[0], &w = in[1], &u = in[2], &b = in[3];
  Tensor h = zeros({x.dim(0), u.dim(0)}, x.dtype());
  for (const Tensor& now : unstack(x, 1)) h = tanh(matmul(now, w) + matmul(h, u) + b);
  return {reduce_mean(square(h))};
}

Tensors embedding_bag(Tensorspan in, const Attributes&) {
  return {reduce_sum(tanh(gather(in[0], in[2])) * in[1])};
}

Tensors conv_pool_dense(Tensorspan in, const Attributes&) {
  const Tensor &x = in[0], &k = in[1], &b = in[2], &w = in[3];
  const Tensor features = max_pool2d(relu(conv2d(x, k, 1, ConvPadding::valid) + b), 2, 2, ConvPadding::valid);
  return {reduce_mean(square(matmul(reshape(features, {x.dim(0), -1}), w)))};
}

Tensors where_safe(Tensorspan in, const Attributes&) {
  const Tensor& x = in[0];
  return {reduce_sum(where(x > 0, log(where(x > 0, x, ones_like(x))), zeros_like(x)))};
}

Tensors where_unsafe(Tensorspan in, const Attributes&) {
  const Tensor& x = in[0];
  return {reduce_sum(where(x > 0, log(x), zeros_like(x)))};
}

Tensors reuse_diamond(Tensorspan in, const Attributes&) {
  const Tensor& x = in[0];
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = y * y * 0.5 + x;
  return {reduce_sum(y)};
}

Tensors logistic(Tensorspan in, const Attributes&) {
  const Tensor &x = in[0], &w = in[1], &s = in[2];
  return {reduce_mean(softplus(-s * matvec(x, w))) + 0.1 * reduce_sum(w * w)};
}

constexpr NamedRun kRuns[] = {
    {"mlp-xent", mlp_xent},
    {"attention", attention},
    {"layer-norm-by-hand", layer_norm},
    {"rnn-5", rnn},
    {"embedding-bag", embedding_bag},
    {"where-safe", where_safe},
    {"conv-pool-dense", conv_pool_dense},
    {"where-unsafe", where_unsafe},
    {"reuse-diamond", reuse_diamond},
    {"logistic", logistic},
};

}  // namespace

std::span<const NamedRun> program_runs() { return kRuns; }

}  // namespace tapescope::goldens
