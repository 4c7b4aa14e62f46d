// Softmax, log-softmax and their gradients, along the last axis; another axis is brought there and back.
#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/kernels/softmax_rows.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/nn/softmax.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

void infer_softmax(InferContext& c) {
  if (!is_floating(c.in(0).dtype) || c.in(0).shape.rank() == 0) {
    c.fail(fmt::format("expected a floating tensor of at least one dimension, got {}", c.in(0).text()));
  }
  c.out(&c.in(0));
}

void infer_softmax_grad(InferContext& c) {
  if (&c.in(0) != &c.in(1))
    c.fail(fmt::format("the output {} and its cotangent {} differ", c.in(0).text(), c.in(1).text()));
  infer_softmax(c);
}

void softmax_kernel(KernelContext& c) {
  with_rows(c.in_type(0), [&]<class T>(T, std::int64_t rows, std::int64_t n) {
    const RowsIn<T> x(c.in<void>(0), c.in_type(0));
    RowsOut<T> y(c.out<void>(), c.in_type(0));
    kernels::softmax_rows<Accumulator<T>>(x.data(), rows, n, y.data(), nullptr);
  });
}

void log_softmax_kernel(KernelContext& c) {
  with_rows(c.in_type(0), [&]<class T>(T, std::int64_t rows, std::int64_t n) {
    const RowsIn<T> x(c.in<void>(0), c.in_type(0));
    RowsOut<T> y(c.out<void>(), c.in_type(0));
    kernels::log_softmax_rows(x.data(), rows, n, y.data());
  });
}

// Inputs of both: y, g.
template <class Loop>
void grad_kernel(KernelContext& c, const Loop& loop) {
  with_rows(c.in_type(0), [&]<class T>(T, std::int64_t rows, std::int64_t n) {
    const RowsIn<T> y(c.in<void>(0), c.in_type(0)), g(c.in<void>(1), c.in_type(0));
    RowsOut<T> to(c.out<void>(), c.in_type(0));
    loop(y.data(), g.data(), rows, n, to.data());
  });
}
void softmax_grad_kernel(KernelContext& c) {
  grad_kernel(c, [](const auto* y, const auto* g, std::int64_t rows, std::int64_t n, auto* to) {
    kernels::softmax_grad_rows(y, g, rows, n, to);
  });
}
void log_softmax_grad_kernel(KernelContext& c) {
  grad_kernel(c, [](const auto* y, const auto* g, std::int64_t rows, std::int64_t n, auto* to) {
    kernels::log_softmax_grad_rows(y, g, rows, n, to);
  });
}

void softmax_vjp(VjpContext& c) { c.set(0, softmax_grad(c.out(), c.grad())); }
void log_softmax_vjp(VjpContext& c) { c.set(0, log_softmax_grad(c.out(), c.grad())); }

// r = (g - s) y with s = sum(g y): symmetric in g, and dr/dy fed h is h (g - s) - g sum(h y).
void softmax_grad_vjp(VjpContext& c) {
  const Tensor &y = c.in(0), &g = c.in(1), &h = c.grad();
  if (c.needs(0)) {
    const Tensor s = reduce_sum(g * y, -1, true), t = reduce_sum(h * y, -1, true);
    c.set(0, h * (g - s) - g * t);
  }
  if (c.needs(1)) c.set(1, softmax_grad(y, h));
}

// r = g - e^y sum(g)
void log_softmax_grad_vjp(VjpContext& c) {
  const Tensor &y = c.in(0), &g = c.in(1), &h = c.grad();
  const Tensor weighted = h * exp(y);
  if (c.needs(0)) c.set(0, -weighted * reduce_sum(g, -1, true));
  if (c.needs(1)) c.set(1, h - reduce_sum(weighted, -1, true));
}

// About ten operations for an exponential, and five more.
OpCost softmax_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {15 * static_cast<double>(out[0]->numel), static_cast<double>(in[0]->bytes + out[0]->bytes)};
}
OpCost softmax_grad_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {4 * static_cast<double>(out[0]->numel), static_cast<double>(2 * in[0]->bytes + out[0]->bytes)};
}

Tensor along(const OpDef& op, const Arg& x, int axis) {
  const Tensor& t = x.tensor();
  if (t.rank() == 0) return apply(op, x);  // throws
  const int front = front_axis(op.name, axis, t, x.location());
  if (front == t.rank() - 1) return apply(op, x);
  Ints perm;
  for (int i = 0; i < t.rank(); ++i)
    perm.push_back(i == front ? t.rank() - 1 : i == t.rank() - 1 ? front : i);
  const Tensor turned = transpose(x, perm);
  const Tensor result = apply(op, Arg(turned, x.location()));
  return transpose(Arg(result, x.location()), perm);
}

constexpr std::uint32_t kBothInputs = OpDef::in_bit(0) | OpDef::in_bit(1);

}  // namespace

constinit const OpDef kSoftmax{
    .name = "Softmax",
    .infer = infer_softmax,
    .kernel = softmax_kernel,
    .saves = OpDef::out_bit(0),
    .vjp = softmax_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .cost = softmax_cost,
    .doc = "e^(x - max) / sum e^(x - max) along the last axis; gradient (g - sum(g y)) y",
    .sampler = {.shapes = "3,4|5"}};
constinit const OpDef kLogSoftmax{
    .name = "LogSoftmax",
    .infer = infer_softmax,
    .kernel = log_softmax_kernel,
    .saves = OpDef::out_bit(0),
    .vjp = log_softmax_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .cost = softmax_cost,
    .doc = "x - max - log sum e^(x - max) along the last axis; gradient g - e^y sum(g)",
    .sampler = {.shapes = "3,4|5"}};
constinit const OpDef kSoftmaxGrad{.name = "SoftmaxGrad",
                                   .infer = infer_softmax_grad,
                                   .kernel = softmax_grad_kernel,
                                   .saves = kBothInputs,
                                   .vjp = softmax_grad_vjp,
                                   .batch = BatchRule::custom,
                                   .batched = batch_rules::leading,
                                   .cost = softmax_grad_cost,
                                   .doc = "(g - sum(g y)) y along the last axis, from y and g",
                                   .sampler = {.shapes = "3,4;3,4"}};
constinit const OpDef kLogSoftmaxGrad{.name = "LogSoftmaxGrad",
                                      .infer = infer_softmax_grad,
                                      .kernel = log_softmax_grad_kernel,
                                      .saves = kBothInputs,
                                      .vjp = log_softmax_grad_vjp,
                                      .batch = BatchRule::custom,
                                      .batched = batch_rules::leading,
                                      .cost = softmax_grad_cost,
                                      .doc = "g - e^y sum(g) along the last axis, from y and g",
                                      .sampler = {.shapes = "3,4;3,4"}};

Tensor softmax(const Arg& x, int axis) { return along(kSoftmax, x, axis); }
Tensor log_softmax(const Arg& x, int axis) { return along(kLogSoftmax, x, axis); }
Tensor softmax_grad(const Arg& y, const Arg& g) { return apply(kSoftmaxGrad, y, g); }
Tensor log_softmax_grad(const Arg& y, const Arg& g) { return apply(kLogSoftmaxGrad, y, g); }

}  // namespace tapescope
