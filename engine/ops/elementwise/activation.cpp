// Rows and functions of the activations.
#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

void tanh_vjp(VjpContext& c) { c.set(0, tanh_grad(c.out(), c.grad())); }
void sigmoid_vjp(VjpContext& c) { c.set(0, sigmoid_grad(c.out(), c.grad())); }
void relu_vjp(VjpContext& c) { c.set(0, relu_grad(c.grad(), c.out())); }
void relu6_vjp(VjpContext& c) { c.set(0, relu6_grad(c.grad(), c.out())); }
void leaky_relu_vjp(VjpContext& c) { c.set(0, leaky_relu_grad(c.grad(), c.in(0), c.attrs().f[0])); }
void elu_vjp(VjpContext& c) { c.set(0, elu_grad(c.grad(), c.out())); }
void selu_vjp(VjpContext& c) { c.set(0, selu_grad(c.grad(), c.out())); }
void softplus_vjp(VjpContext& c) { c.set(0, softplus_grad(c.grad(), c.in(0))); }
void softsign_vjp(VjpContext& c) { c.set(0, softsign_grad(c.grad(), c.in(0))); }
void silu_vjp(VjpContext& c) {
  const Tensor s = sigmoid(c.in(0));
  c.set(0, c.grad() * (s + c.in(0) * s * (1 - s)));
}

constinit const OpDef kTanh = unary<UnaryOp::tanh>(
    {.name = "Tanh", .saves = kOut, .vjp = tanh_vjp, .doc = "hyperbolic tangent; gradient g (1 - y^2)"});
constinit const OpDef kSigmoid = unary<UnaryOp::sigmoid>(
    {.name = "Sigmoid", .saves = kOut, .vjp = sigmoid_vjp, .doc = "1 / (1 + e^-x); gradient g y (1 - y)"});
constinit const OpDef kRelu =
    unary<UnaryOp::relu>({.name = "Relu",
                          .saves = kOut,
                          .vjp = relu_vjp,
                          .doc = "max(x, 0), NaN stays; gradient g where y > 0, 0 at 0"});
constinit const OpDef kRelu6 = unary<UnaryOp::relu6>({.name = "Relu6",
                                                      .saves = kOut,
                                                      .vjp = relu6_vjp,
                                                      .doc = "min(max(x, 0), 6); gradient g where 0 < y < 6",
                                                      .sampler = {-2, 8}});
constinit const OpDef kLeakyRelu =
    unary<UnaryOp::leaky_relu>({.name = "LeakyRelu",
                                .saves = kIn0,
                                .vjp = leaky_relu_vjp,
                                .flags = OpDef::kHasParameters,
                                .doc = "x where x > 0, else alpha x; alpha (f0) at 0"});
constinit const OpDef kElu =
    unary<UnaryOp::elu>({.name = "Elu",
                         .saves = kOut,
                         .vjp = elu_vjp,
                         .doc = "x where x >= 0, else e^x - 1; gradient g (y + 1) where y < 0"});
constinit const OpDef kSelu = unary<UnaryOp::selu>(
    {.name = "Selu", .saves = kOut, .vjp = selu_vjp, .doc = "scaled Elu that keeps mean 0 and variance 1"});
constinit const OpDef kSoftplus =
    unary<UnaryOp::softplus>({.name = "Softplus",
                              .saves = kIn0,
                              .vjp = softplus_vjp,
                              .doc = "log(1 + e^x) without overflow; gradient g / (1 + e^-x)"});
constinit const OpDef kSoftsign =
    unary<UnaryOp::softsign>({.name = "Softsign",
                              .saves = kIn0,
                              .vjp = softsign_vjp,
                              .doc = "x / (1 + |x|); gradient g / (1 + |x|)^2"});
constinit const OpDef kSilu =
    unary<UnaryOp::silu>({.name = "Silu",
                          .saves = kIn0,
                          .vjp = silu_vjp,
                          .doc = "x sigmoid(x); gradient g (s + x s (1 - s)); keeps x only"});

constexpr const OpDef* kElementwiseActivationRows[] = {&kTanh, &kSigmoid, &kRelu,     &kRelu6,    &kLeakyRelu,
                                                       &kElu,  &kSelu,    &kSoftplus, &kSoftsign, &kSilu};

}  // namespace

std::span<const OpDef* const> rows::activation_rows() { return kElementwiseActivationRows; }

Tensor tanh(const Arg& x) { return apply(kTanh, x); }
Tensor sigmoid(const Arg& x) { return apply(kSigmoid, x); }
Tensor log_sigmoid(const Arg& x) {
  const Location& at = x.location();
  return negative({softplus({negative(x), at}), at});
}
Tensor relu(const Arg& x) { return apply(kRelu, x); }
Tensor relu6(const Arg& x) { return apply(kRelu6, x); }
Tensor leaky_relu(const Arg& x, double alpha) {
  Attrs attrs;
  attrs.f[0] = static_cast<float>(alpha);  // TensorFlow's attribute is a float32 for every dtype
  return apply(kLeakyRelu, x, attrs);
}
Tensor elu(const Arg& x) { return apply(kElu, x); }
Tensor selu(const Arg& x) { return apply(kSelu, x); }
Tensor softplus(const Arg& x) { return apply(kSoftplus, x); }
Tensor softsign(const Arg& x) { return apply(kSoftsign, x); }
Tensor silu(const Arg& x) { return apply(kSilu, x); }

Tensor gelu(const Arg& given, bool approximate) {
  const Location& at = given.location();
  const Tensor& x = given.tensor();
  const Tensor half = multiply({0.5, at}, {x, at});
  // TensorFlow rounds the constants 0.7071 and 0.044715, but not 0.7979, to float32 for every dtype.
  if (!approximate) {
    const Tensor scaled = multiply({negative({x, at}), at}, {0.7071067811865476f, at});
    return multiply({half, at}, {erfc({scaled, at}), at});
  }
  const Tensor cube = multiply({x, at}, {square({x, at}), at});
  const Tensor inner = add({x, at}, {multiply({0.044715f, at}, {cube, at}), at});
  const Tensor curve = tanh({multiply({0.7978845608028654, at}, {inner, at}), at});
  return multiply({half, at}, {add({1.0, at}, {curve, at}), at});
}

}  // namespace tapescope
