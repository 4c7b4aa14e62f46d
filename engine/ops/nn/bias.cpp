// bias_add and its gradient.
#include <fmt/format.h>

#include "engine/kernels/map.h"
#include "engine/kernels/reduce.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

std::int64_t last_dimension(const Type& type) { return type.shape[type.shape.rank() - 1]; }

void infer_bias_add(InferContext& c) {
  const Type &x = c.in(0), &bias = c.in(1);
  if (x.shape.rank() < 2 || bias.shape.rank() != 1 || bias.dtype != x.dtype ||
      bias.shape[0] != last_dimension(x) || x.dtype == DType::boolean) {
    c.fail(
        fmt::format("expected x [..., channels] of at least two dimensions and a bias [channels] of one "
                    "dtype, got {} and {}",
                    x.text(), bias.text()));
  }
  c.out(&x);
}

void bias_add_kernel(KernelContext& c) {
  const Type &x = c.in_type(0), &bias = c.in_type(1);
  kernels::map_broadcast(kernels::BinaryOp::add, x.dtype, c.in<void>(0), x.shape, c.in<void>(1), bias.shape,
                         c.out<void>(), x.shape);
}

void bias_add_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(1)) c.set(1, bias_add_grad(c.grad()));
}

void infer_bias_add_grad(InferContext& c) {
  const DType type = c.in(0).dtype;
  if (c.in(0).shape.rank() == 0 || type == DType::boolean || type == DType::resource) {
    c.fail(fmt::format("expected numbers of at least one dimension, got {}", c.in(0).text()));
  }
  c.out(c.in(0).dtype, {last_dimension(c.in(0))});
}

void bias_add_grad_kernel(KernelContext& c) {
  const std::int64_t n = last_dimension(c.in_type(0)), rows = n == 0 ? 0 : c.in_type(0).numel / n;
  kernels::reduce(kernels::ReduceOp::sum, c.in_type(0).dtype, c.in<void>(0), {rows, n}, 1, c.out<void>());
}

OpCost bias_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {static_cast<double>(in[0]->numel), static_cast<double>(in[0]->bytes + out[0]->bytes)};
}

}  // namespace

constinit const OpDef kBiasAdd{.name = "BiasAdd",
                               .infer = infer_bias_add,
                               .kernel = bias_add_kernel,
                               .vjp = bias_add_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::bias_add,
                               .cost = bias_cost,
                               .doc = "x + bias along the last dimension",
                               .sampler = {.shapes = "3,4;4|2,3,3,2;2"}};
constinit const OpDef kBiasAddGrad{
    .name = "BiasAddGrad",
    .infer = infer_bias_add_grad,
    .kernel = bias_add_grad_kernel,
    .vjp = [](VjpContext& c) { c.set(0, broadcast_to(c.grad(), c.in_type(0).shape)); },
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::bias_add_grad,
    .cost = bias_cost,
    .doc = "Sum over all dimensions but the last",
    .sampler = {.shapes = "3,4|2,3,3,2"}};

Tensor bias_add(const Arg& x, const Arg& bias) { return apply(kBiasAdd, x, bias); }
Tensor bias_add_grad(const Arg& g) { return apply(kBiasAddGrad, g); }

}  // namespace tapescope
