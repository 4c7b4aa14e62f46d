// Batch normalization of images as one op, its gradient as another, and the gradient of that.
#include <fmt/format.h>

#include <cmath>

#include "engine/gate/arguments.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

// flags bit 0: training, statistics are the batch's. f[0]: epsilon.
bool training(const Attrs& attrs) { return attrs.flags & 1; }

std::int64_t channels(const Type& x) { return x.shape[3]; }
// Statistics of half images are float32.
DType statistics_dtype(const Type& x) { return is_half(x.dtype) ? DType::f32 : x.dtype; }

void check_images(InferContext& c, const Type& x, const Type& scale) {
  if (x.shape.rank() != 4 || !is_floating(x.dtype))
    c.fail(fmt::format("expected floating images [n, h, w, channels], got {}", x.text()));
  if (&scale != intern_type(statistics_dtype(x), {channels(x)})) {
    c.fail(fmt::format("expected the scale {}[{}] for {}, got {}", name_of(statistics_dtype(x)), channels(x),
                       x.text(), scale.text()));
  }
}

// FusedBatchNormV3: inputs x, scale, offset, mean, variance (the last two are read in inference only).
// Outputs y, mean, variance over n - 1, then what the gradient needs: mean, variance over n, and TensorFlow's
// unused third reserve.
void infer_batch_norm(InferContext& c) {
  check_images(c, c.in(0), c.in(1));
  const Type* vector = &c.in(1);
  const bool fits = &c.in(2) == vector && (training(c.attrs) || (&c.in(3) == vector && &c.in(4) == vector));
  if (!fits) c.fail(fmt::format("offset, mean and variance must be {} as the scale is", vector->text()));
  c.set_outputs(6);
  c.out(0, &c.in(0));
  for (int i = 1; i < 5; ++i) c.out(i, vector);
  c.out(5, intern_type(vector->dtype, {0}));
}

void batch_norm_kernel(KernelContext& c) {
  const Type& type = c.in_type(0);
  const std::size_t n = static_cast<std::size_t>(channels(type));
  const std::int64_t rows = n == 0 ? 0 : type.numel / static_cast<std::int64_t>(n);
  dispatch_floating(type.dtype, [&]<class T>(T) {
    using S = Accumulator<T>;
    const T* x = c.in<T>(0);
    const S *scale = c.in<S>(1), *offset = c.in<S>(2);
    // Double sums: the statistics are differences of large numbers. Two passes, so that nothing cancels.
    ScratchArray<double> mean(n), variance(n);
    if (training(c.attrs)) {
      for (std::int64_t i = 0; i < type.numel; ++i)
        mean[static_cast<std::size_t>(i) % n] += static_cast<double>(x[i]);
      for (std::size_t k = 0; k < n; ++k) mean[k] /= static_cast<double>(rows);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < n; ++k) {
          const double d = static_cast<double>(x[static_cast<std::size_t>(r) * n + k]) - mean[k];
          variance[k] += d * d;
        }
      }
      for (std::size_t k = 0; k < n; ++k) variance[k] /= static_cast<double>(rows);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        mean[k] = static_cast<double>(c.in<S>(3)[k]);
        variance[k] = static_cast<double>(c.in<S>(4)[k]);
      }
    }
    ScratchArray<S> factor(n), center(n);
    const double unbiased =
        training(c.attrs) && rows > 1 ? static_cast<double>(rows) / static_cast<double>(rows - 1) : 1;
    for (std::size_t k = 0; k < n; ++k) {
      factor[k] = static_cast<S>(static_cast<double>(scale[k]) / std::sqrt(variance[k] + c.attrs.f[0]));
      center[k] = static_cast<S>(mean[k]);
      c.out<S>(1)[k] = c.out<S>(3)[k] = center[k];
      c.out<S>(2)[k] = static_cast<S>(variance[k] * unbiased);
      c.out<S>(4)[k] = static_cast<S>(variance[k]);
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* from = x + static_cast<std::size_t>(r) * n;
      T* to = c.out<T>(0) + static_cast<std::size_t>(r) * n;
      for (std::size_t k = 0; k < n; ++k)
        to[k] = static_cast<T>((static_cast<S>(from[k]) - center[k]) * factor[k] + offset[k]);
    }
  });
}

// FusedBatchNormGradV3: inputs g, x, scale, mean, variance; outputs dx, dscale, doffset.
void infer_batch_norm_grad(InferContext& c) {
  check_images(c, c.in(1), c.in(2));
  if (&c.in(0) != &c.in(1) || &c.in(3) != &c.in(2) || &c.in(4) != &c.in(2)) {
    c.fail(fmt::format("the cotangent must be {}, mean and variance {}", c.in(1).text(), c.in(2).text()));
  }
  c.set_outputs(3);
  c.out(0, &c.in(1));
  c.out(1, &c.in(2));
  c.out(2, &c.in(2));
}

// dx = scale r (g - mean(g) - (x - m) r^2 mean(g (x - m))), r = 1 / sqrt(variance + epsilon); in inference
// the means are left out. dscale = sum g (x - m) r, doffset = sum g.
void batch_norm_grad_kernel(KernelContext& c) {
  const Type& type = c.in_type(1);
  const std::size_t n = static_cast<std::size_t>(channels(type));
  const std::int64_t rows = n == 0 ? 0 : type.numel / static_cast<std::int64_t>(n);
  dispatch_floating(type.dtype, [&]<class T>(T) {
    using S = Accumulator<T>;
    const T *g = c.in<T>(0), *x = c.in<T>(1);
    const S *scale = c.in<S>(2), *mean = c.in<S>(3), *variance = c.in<S>(4);
    ScratchArray<double> sum(n), product(n);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = static_cast<std::size_t>(r) * n + k;
        sum[k] += static_cast<double>(g[i]);
        product[k] += static_cast<double>(g[i]) * (static_cast<double>(x[i]) - static_cast<double>(mean[k]));
      }
    }
    ScratchArray<S> factor(n), shift(n), slope(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double root = 1 / std::sqrt(static_cast<double>(variance[k]) + c.attrs.f[0]);
      c.out<S>(1)[k] = static_cast<S>(product[k] * root);
      c.out<S>(2)[k] = static_cast<S>(sum[k]);
      factor[k] = static_cast<S>(static_cast<double>(scale[k]) * root);
      if (training(c.attrs)) {
        shift[k] = static_cast<S>(sum[k] / static_cast<double>(rows));
        slope[k] = static_cast<S>(product[k] / static_cast<double>(rows) * root * root);
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = static_cast<std::size_t>(r) * n + k;
        c.out<T>(0)[i] = static_cast<T>(
            factor[k] * (static_cast<S>(g[i]) - shift[k] - (static_cast<S>(x[i]) - mean[k]) * slope[k]));
      }
    }
  });
}

void batch_norm_vjp(VjpContext& c) {
  TensorImpl* inputs[] = {c.grad(0).impl(), c.in(0).impl(), c.in(1).impl(), c.out(3).impl(), c.out(4).impl()};
  TensorList outputs;
  apply(kFusedBatchNormGrad, inputs, c.attrs(), Location::current(), outputs);
  for (int i = 0; i < 3; ++i) {
    if (c.needs(i)) c.set(i, outputs[i]);
  }
}

// With n = (x - m) r, P(v) = v - mean(v) - n mean(v n), a = mean(h n), b = mean(g n) and cotangents h, hs, ho
// of dx = s r P(g), dscale = sum g n, doffset = sum g:
//   to g:     s r P(h) + hs n + ho
//   to x:     hs r P(g) - s r^2 (mean(h P(g)) n + b P(h) + a P(g))
//   to scale: sum h r P(g)
// since dr/dx = -r^2 n / count and dn/dx fed v is r P(v). In inference r and m are constants and P is the
// identity.
void batch_norm_grad_vjp(VjpContext& c) {
  const DType wide = c.in_type(2).dtype, narrow = c.in_type(1).dtype;
  const auto widened = [&](const Tensor& t) { return cast(t, wide); };
  const Tensor g = widened(c.in(0)), x = widened(c.in(1)), h = widened(c.grad(0));
  const Tensor &scale = c.in(2), &hs = c.grad(1), &ho = c.grad(2);
  const Tensor r = rsqrt(c.in(4) + c.attrs().f[0]);
  const Tensor n = (x - c.in(3)) * r;
  const Axes pixels{0, 1, 2};
  const auto projected = [&](const Tensor& v) {
    return training(c.attrs()) ? v - reduce_mean(v, pixels) - n * reduce_mean(v * n, pixels) : v;
  };
  const Tensor pg = projected(g), ph = projected(h);
  if (c.needs(0)) c.set(0, cast(scale * r * ph + hs * n + ho, narrow));
  if (c.needs(1)) {
    Tensor dx;
    if (training(c.attrs())) {
      const Tensor a = reduce_mean(h * n, pixels), b = reduce_mean(g * n, pixels);
      dx = hs * r * pg - scale * square(r) * (reduce_mean(h * pg, pixels) * n + b * ph + a * pg);
    } else {
      dx = hs * r * g;
    }
    c.set(1, cast(dx, narrow));
  }
  if (c.needs(2)) c.set(2, reduce_sum(h * r * pg, pixels));
}

OpCost batch_norm_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {8 * static_cast<double>(out[0]->numel), static_cast<double>(2 * in[0]->bytes + out[0]->bytes)};
}

Attrs batch_norm_attrs(double epsilon, bool train) {
  Attrs attrs;
  attrs.f[0] = epsilon;
  attrs.flags = train;
  return attrs;
}

}  // namespace

constinit const OpDef kFusedBatchNorm{
    .name = "FusedBatchNormV3",
    .infer = infer_batch_norm,
    .kernel = batch_norm_kernel,
    .saves = OpDef::in_bit(0) | OpDef::in_bit(1) | OpDef::out_bit(3) | OpDef::out_bit(4),
    .vjp = batch_norm_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::batch_norm,
    .cost = batch_norm_cost,
    .never = OpDef::in_bit(3) | OpDef::in_bit(4),
    .doc = "(x - mean) / sqrt(variance + f[0]) scale + offset for each channel"};
constinit const OpDef kFusedBatchNormGrad{
    .name = "FusedBatchNormGradV3",
    .infer = infer_batch_norm_grad,
    .kernel = batch_norm_grad_kernel,
    .saves = OpDef::in_bit(0) | OpDef::in_bit(1) | OpDef::in_bit(2) | OpDef::in_bit(3) | OpDef::in_bit(4),
    .vjp = batch_norm_grad_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::batch_norm,
    .cost = batch_norm_cost,
    .never = OpDef::in_bit(3) | OpDef::in_bit(4),
    .doc = "Gradients by x, scale and offset; inputs g, x, scale, mean, variance"};

BatchNormResult fused_batch_norm_train(const Arg& x, const Arg& scale, const Arg& offset, double epsilon) {
  const Tensor& s = scale.tensor();
  // Mean and variance are not read in training; empty tensors stand for them, as in TensorFlow.
  const Tensor none = make_full({0}, 0, s.dtype());
  TensorImpl* inputs[] = {x.tensor().impl(), s.impl(), offset.tensor().impl(), none.impl(), none.impl()};
  TensorList outputs;
  apply(kFusedBatchNorm, inputs, batch_norm_attrs(epsilon, true), x.location(), outputs);
  return {outputs[0], outputs[1], outputs[2]};
}

Tensor fused_batch_norm_inference(const Arg& x, const Arg& scale, const Arg& offset, const Arg& mean,
                                  const Arg& variance, double epsilon) {
  TensorImpl* inputs[] = {x.tensor().impl(), scale.tensor().impl(), offset.tensor().impl(),
                          mean.tensor().impl(), variance.tensor().impl()};
  return apply(kFusedBatchNorm, inputs, batch_norm_attrs(epsilon, false), x.location());
}

}  // namespace tapescope
