// Cross entropies of softmax rows, fused with their gradient as TensorFlow's are, and the l2 loss.
#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/kernels/softmax_rows.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/nn/softmax.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

// Inputs of both: logits [..., classes], labels. Outputs: loss [...], softmax - labels.
Shape row_shape(const Shape& logits) {
  return Shape(logits.dims().first(static_cast<std::size_t>(logits.rank() - 1)));
}

void set_loss_outputs(InferContext& c) {
  c.set_outputs(2);
  c.out(0, intern_type(c.in(0).dtype, row_shape(c.in(0).shape)));
  c.out(1, &c.in(0));
}

void infer_dense(InferContext& c) {
  if (&c.in(0) != &c.in(1) || !is_floating(c.in(0).dtype) || c.in(0).shape.rank() == 0) {
    c.fail(
        fmt::format("logits {} and labels {} must be floating, of one type and of at least one dimension; "
                    "hint: class numbers go to "
                    "sparse_softmax_cross_entropy_with_logits",
                    c.in(0).text(), c.in(1).text()));
  }
  set_loss_outputs(c);
}

void infer_sparse(InferContext& c) {
  const Type &logits = c.in(0), &labels = c.in(1);
  if (!is_floating(logits.dtype) || logits.shape.rank() == 0 || !is_integer(labels.dtype) ||
      !(labels.shape == row_shape(logits.shape))) {
    c.fail(
        fmt::format("expected floating logits [..., classes] and int32 or int64 labels [...], got {} and {}",
                    logits.text(), labels.text()));
  }
  set_loss_outputs(c);
}

// Per row: loss = sum labels (log(sum e^z) - z) and softmax - labels, with z = logits - max. Where a label is
// 0 its term is 0 whatever the logit.
void dense_kernel(KernelContext& c) {
  with_rows(c.in_type(0), [&]<class T>(T, std::int64_t rows, std::int64_t n) {
    using W = Accumulator<T>;
    const RowsIn<T> x(c.in<void>(0), c.in_type(0)), labels(c.in<void>(1), c.in_type(1));
    RowsOut<T> losses(c.out<void>(0), c.out_type(0)), p(c.out<void>(1), c.out_type(1));
    ScratchArray<kernels::SoftmaxFacts<W>> facts(static_cast<std::size_t>(rows));
    kernels::softmax_rows(x.data(), rows, n, p.data(), facts.data());
    kernels::cross_entropy_rows(x.data(), labels.data(), facts.data(), rows, n, p.data(), losses.data());
  });
}

void check_labels(const KernelContext& c, std::int64_t classes) {
  dispatch_index(c.in_type(1).dtype, [&]<class Index>(Index) {
    for (std::int64_t r = 0; r < c.in_type(1).numel; ++r) {
      const Index label = c.in<Index>(1)[r];
      if (label >= 0 && label < classes) continue;
      fail(ErrorKind::invalid_argument, "SparseSoftmaxCrossEntropyWithLogits",
           fmt::format("label {} of row {} is not in [0, {}); hint: the last dimension of the logits is the "
                       "number of classes",
                       label, r, classes));
    }
  });
}

void sparse_kernel(KernelContext& c) {
  with_rows(c.in_type(0), [&]<class T>(T, std::int64_t rows, std::int64_t n) {
    using W = Accumulator<T>;
    check_labels(c, n);
    const RowsIn<T> x(c.in<void>(0), c.in_type(0));
    RowsOut<T> losses(c.out<void>(0), c.out_type(0)), p(c.out<void>(1), c.out_type(1));
    ScratchArray<kernels::SoftmaxFacts<W>> facts(static_cast<std::size_t>(rows));
    kernels::softmax_rows(x.data(), rows, n, p.data(), facts.data());
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t at =
          r * n + (c.in_type(1).dtype == DType::i32 ? c.in<std::int32_t>(1)[r] : c.in<std::int64_t>(1)[r]);
      const auto [largest, log_sum] = facts[static_cast<std::size_t>(r)];
      losses.data()[r] = log_sum - (x.data()[at] - largest);
      p.data()[at] -= 1;
    }
  });
}

// Cotangents may be absent: `backprop` has a use only in the second derivative. Through it labels get
// zeros, as in TensorFlow, which fills in the loss's cotangent and has no rule for labels there.
void cross_entropy_vjp(VjpContext& c, bool sparse) {
  const Tensor &g = c.grad(0), &gg = c.grad(1);
  const Tensor& logits = c.in(0);
  if (c.needs(0)) {
    Tensor d;
    if (g) d = expand_dims(g, -1) * c.out(1);
    if (gg) {
      const Tensor second = softmax_grad(softmax(logits), gg);
      d = d ? d + second : second;
    }
    c.set(0, d);
  }
  if (sparse || !c.needs(1)) return;
  c.set(1, g ? expand_dims(g, -1) * -log_softmax(logits) : zeros(c.in_type(1).shape, c.in_type(1).dtype));
}

OpCost cross_entropy_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {20 * static_cast<double>(in[0]->numel),
          static_cast<double>(in[0]->bytes + in[1]->bytes + out[0]->bytes + out[1]->bytes)};
}

void infer_l2_loss(InferContext& c) {
  if (!is_floating(c.in(0).dtype)) c.fail(fmt::format("expected a floating tensor, got {}", c.in(0).text()));
  c.out(c.in(0).dtype, Shape());
}

void l2_loss_kernel(KernelContext& c) {
  dispatch_floating(c.in_type(0).dtype, [&]<class T>(T) {
    const T* x = c.in<T>(0);
    double sums[4] = {};
    const std::int64_t n = c.in_type(0).numel;
    std::int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int k = 0; k < 4; ++k) sums[k] += static_cast<double>(x[i + k]) * static_cast<double>(x[i + k]);
    }
    for (; i < n; ++i) sums[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    c.out<T>()[0] =
        static_cast<T>(static_cast<Accumulator<T>>(((sums[0] + sums[1]) + (sums[2] + sums[3])) / 2));
  });
}

Tensor loss_of(const OpDef& op, const Tensor& logits, const Tensor& labels, const Location& at) {
  TensorImpl* inputs[] = {logits.impl(), labels.impl()};
  return apply(op, inputs, kNoAttrs, at);
}

}  // namespace

constinit const OpDef kSoftmaxCrossEntropy{
    .name = "SoftmaxCrossEntropyWithLogits",
    .infer = infer_dense,
    .kernel = dense_kernel,
    .saves = OpDef::in_bit(0) | OpDef::out_bit(1),
    .vjp = [](VjpContext& c) { cross_entropy_vjp(c, false); },
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .flags = OpDef::kAbsentGradients,
    .cost = cross_entropy_cost,
    .doc = "-sum labels log softmax(logits) of each row, and softmax - labels; inputs logits, labels"};
constinit const OpDef kSparseSoftmaxCrossEntropy{
    .name = "SparseSoftmaxCrossEntropyWithLogits",
    .infer = infer_sparse,
    .kernel = sparse_kernel,
    .saves = OpDef::in_bit(0) | OpDef::out_bit(1),
    .vjp = [](VjpContext& c) { cross_entropy_vjp(c, true); },
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .flags = OpDef::kAbsentGradients,
    .cost = cross_entropy_cost,
    .never = OpDef::in_bit(1),
    .doc = "-log softmax(logits) at each row's label, and softmax - one_hot(label); inputs logits, labels"};
constinit const OpDef kL2Loss{.name = "L2Loss",
                              .infer = infer_l2_loss,
                              .kernel = l2_loss_kernel,
                              .saves = OpDef::in_bit(0),
                              .vjp = [](VjpContext& c) { c.set(0, c.in(0) * c.grad()); },
                              .batch = BatchRule::custom,
                              .batched = batch_rules::l2_loss,
                              .doc = "sum(x^2) / 2; gradient x g",
                              .sampler = {.shapes = "3,2|5"}};

Tensor softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits, int axis) {
  const Tensor& x = logits.tensor();
  const Tensor& z = labels.tensor(x.dtype());
  const Location& at = logits.location();
  const int front = x.rank() == 0 ? 0 : front_axis("SoftmaxCrossEntropyWithLogits", axis, x, at);
  if (x.rank() == 0 || front == x.rank() - 1 || z.rank() != x.rank())
    return loss_of(kSoftmaxCrossEntropy, x, z, at);
  Ints perm;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != front) perm.push_back(i);
  }
  perm.push_back(front);
  return loss_of(kSoftmaxCrossEntropy, transpose(Arg(x, at), perm), transpose(Arg(z, at), perm), at);
}

Tensor sparse_softmax_cross_entropy_with_logits(const Arg& labels, const Arg& logits) {
  return loss_of(kSparseSoftmaxCrossEntropy, logits.tensor(), labels.tensor(DType::i32), logits.location());
}

Tensor l2_loss(const Arg& x) { return apply(kL2Loss, x); }

}  // namespace tapescope
