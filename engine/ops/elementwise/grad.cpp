// Rows and functions of the gradient ops: the backward shapes that are frequent enough to be one pass over
// memory.
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

Tensor zeros_of(const Type& type) { return zeros(type.shape, type.dtype); }

// In these four y is the forward op's output and b the cotangent it met; h is what comes back now.
void sqrt_grad_vjp(VjpContext& c) {
  const Tensor part = c.grad() / c.in(0);
  if (c.needs(0)) c.set(0, -part * c.out());
  if (c.needs(1)) c.set(1, 0.5 * part);
}
void rsqrt_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, -1.5 * c.grad() * c.in(1) * square(c.in(0)));
  if (c.needs(1)) c.set(1, rsqrt_grad(c.in(0), c.grad()));
}
void reciprocal_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad() * -2.0 * c.in(1) * c.in(0));
  if (c.needs(1)) c.set(1, reciprocal_grad(c.in(0), c.grad()));
}
void tanh_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad() * -2.0 * c.in(1) * c.in(0));
  if (c.needs(1)) c.set(1, tanh_grad(c.in(0), c.grad()));
}
void sigmoid_grad_vjp(VjpContext& c) {
  if (c.needs(0)) {
    const Tensor part = c.grad() * c.in(1);
    c.set(0, part - 2.0 * part * c.in(0));
  }
  if (c.needs(1)) c.set(1, sigmoid_grad(c.in(0), c.grad()));
}
// Masks do not change with what they are made of: zeros, which TensorFlow gives as a tensor.
void relu_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, relu_grad(c.grad(), c.in(1)));
  if (c.needs(1)) c.set(1, zeros_of(c.in_type(1)));
}
void relu6_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, relu6_grad(c.grad(), c.in(1)));
  if (c.needs(1)) c.set(1, zeros_of(c.in_type(1)));
}
void leaky_relu_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, leaky_relu_grad(c.grad(), c.in(1), c.attrs().f[0]));
  if (c.needs(1)) c.set(1, zeros_of(c.in_type(1)));
}
void elu_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, elu_grad(c.grad(), c.in(1)));
  if (c.needs(1)) c.set(1, where(c.in(1) < 0, c.grad() * c.in(0), 0));
}
void selu_grad_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, selu_grad(c.grad(), c.in(1)));
  if (c.needs(1)) c.set(1, where(c.in(1) < 0, c.grad() * c.in(0), 0));
}
void softplus_grad_vjp(VjpContext& c) {
  const Tensor& x = c.in(1);
  if (c.needs(0)) c.set(0, softplus_grad(c.grad(), x));
  if (c.needs(1)) c.set(1, c.grad() * c.in(0) / (exp(-x) + 2 + exp(x)));
}
void softsign_grad_vjp(VjpContext& c) {
  const Tensor& x = c.in(1);
  if (c.needs(0)) c.set(0, softsign_grad(c.grad(), x));
  if (c.needs(1)) c.set(1, softsign_grad(c.grad() * c.in(0), x) * (-2 * sign(x) / (1 + abs(x))));
}

constexpr OpSampler kPositivePairs{0.3, 2, "3,4;3,4"};
constexpr OpSampler kAround{-2, 2, "3,4;3,4"};

constinit const OpDef kSqrtGrad = binary<BinaryOp::sqrt_grad>({.name = "SqrtGrad",
                                                               .saves = kIn0 | kOut,
                                                               .vjp = sqrt_grad_vjp,
                                                               .doc = "(y, g) -> 0.5 g / y, 0 where g is 0",
                                                               .sampler = kPositivePairs});
constinit const OpDef kRsqrtGrad =
    binary<BinaryOp::rsqrt_grad>({.name = "RsqrtGrad",
                                  .saves = kIn0 | kIn1,
                                  .vjp = rsqrt_grad_vjp,
                                  .doc = "(y, g) -> -0.5 g y^3, 0 where g is 0",
                                  .sampler = kPositivePairs});
constinit const OpDef kReciprocalGrad =
    binary<BinaryOp::reciprocal_grad>({.name = "ReciprocalGrad",
                                       .saves = kIn0 | kIn1,
                                       .vjp = reciprocal_grad_vjp,
                                       .doc = "(y, g) -> -g y^2, 0 where g is 0",
                                       .sampler = kPositivePairs});
constinit const OpDef kTanhGrad = binary<BinaryOp::tanh_grad>({.name = "TanhGrad",
                                                               .saves = kIn0 | kIn1,
                                                               .vjp = tanh_grad_vjp,
                                                               .doc = "(y, g) -> g (1 - y^2)",
                                                               .sampler = kAround});
constinit const OpDef kSigmoidGrad = binary<BinaryOp::sigmoid_grad>({.name = "SigmoidGrad",
                                                                     .saves = kIn0 | kIn1,
                                                                     .vjp = sigmoid_grad_vjp,
                                                                     .doc = "(y, g) -> g y (1 - y)",
                                                                     .sampler = kAround});
constinit const OpDef kReluGrad = binary<BinaryOp::relu_grad>({.name = "ReluGrad",
                                                               .saves = kIn1,
                                                               .vjp = relu_grad_vjp,
                                                               .doc = "(g, x) -> g where x > 0, else 0",
                                                               .sampler = kAround});
constinit const OpDef kRelu6Grad = binary<BinaryOp::relu6_grad>({.name = "Relu6Grad",
                                                                 .saves = kIn1,
                                                                 .vjp = relu6_grad_vjp,
                                                                 .doc = "(g, x) -> g where 0 < x < 6, else 0",
                                                                 .sampler = kAround});
constinit const OpDef kLeakyReluGrad =
    binary<BinaryOp::leaky_relu_grad>({.name = "LeakyReluGrad",
                                       .saves = kIn1,
                                       .vjp = leaky_relu_grad_vjp,
                                       .flags = OpDef::kHasParameters,
                                       .doc = "(g, x) -> g where x > 0, else alpha g; alpha is f0",
                                       .sampler = kAround});
constinit const OpDef kEluGrad = binary<BinaryOp::elu_grad>({.name = "EluGrad",
                                                             .saves = kIn0 | kIn1,
                                                             .vjp = elu_grad_vjp,
                                                             .doc = "(g, y) -> g (y + 1) where y < 0, else g",
                                                             .sampler = kAround});
constinit const OpDef kSeluGrad =
    binary<BinaryOp::selu_grad>({.name = "SeluGrad",
                                 .saves = kIn0 | kIn1,
                                 .vjp = selu_grad_vjp,
                                 .doc = "(g, y) -> g (y + scale alpha) where y < 0, else scale g",
                                 .sampler = kAround});
constinit const OpDef kSoftplusGrad = binary<BinaryOp::softplus_grad>({.name = "SoftplusGrad",
                                                                       .saves = kIn0 | kIn1,
                                                                       .vjp = softplus_grad_vjp,
                                                                       .doc = "(g, x) -> g / (e^-x + 1)",
                                                                       .sampler = kAround});
constinit const OpDef kSoftsignGrad = binary<BinaryOp::softsign_grad>({.name = "SoftsignGrad",
                                                                       .saves = kIn0 | kIn1,
                                                                       .vjp = softsign_grad_vjp,
                                                                       .doc = "(g, x) -> g / (1 + |x|)^2",
                                                                       .sampler = kAround});

constexpr const OpDef* kElementwiseGradRows[] = {
    &kSqrtGrad,  &kRsqrtGrad,     &kReciprocalGrad, &kTanhGrad, &kSigmoidGrad,  &kReluGrad,
    &kRelu6Grad, &kLeakyReluGrad, &kEluGrad,        &kSeluGrad, &kSoftplusGrad, &kSoftsignGrad};

}  // namespace

std::span<const OpDef* const> rows::gradient_rows() { return kElementwiseGradRows; }

Tensor sqrt_grad(const Arg& y, const Arg& g) { return apply(kSqrtGrad, y, g); }
Tensor rsqrt_grad(const Arg& y, const Arg& g) { return apply(kRsqrtGrad, y, g); }
Tensor reciprocal_grad(const Arg& y, const Arg& g) { return apply(kReciprocalGrad, y, g); }
Tensor tanh_grad(const Arg& y, const Arg& g) { return apply(kTanhGrad, y, g); }
Tensor sigmoid_grad(const Arg& y, const Arg& g) { return apply(kSigmoidGrad, y, g); }
Tensor relu_grad(const Arg& g, const Arg& features) { return apply(kReluGrad, g, features); }
Tensor relu6_grad(const Arg& g, const Arg& features) { return apply(kRelu6Grad, g, features); }
Tensor leaky_relu_grad(const Arg& g, const Arg& features, double alpha) {
  Attrs attrs;
  attrs.f[0] = static_cast<float>(alpha);
  return apply(kLeakyReluGrad, g, features, attrs);
}
Tensor elu_grad(const Arg& g, const Arg& outputs) { return apply(kEluGrad, g, outputs); }
Tensor selu_grad(const Arg& g, const Arg& outputs) { return apply(kSeluGrad, g, outputs); }
Tensor softplus_grad(const Arg& g, const Arg& features) { return apply(kSoftplusGrad, g, features); }
Tensor softsign_grad(const Arg& g, const Arg& features) { return apply(kSoftsignGrad, g, features); }

}  // namespace tapescope
