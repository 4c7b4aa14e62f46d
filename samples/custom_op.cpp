// An activation written in small ops, and as one op that the program adds itself.
#include <cmath>

#include "engine/gate/register.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kRows{"rows", "256", "rows of x"};
const SampleParameter kUnits{"units", "128", "columns of x and of w"};
const SampleParameter kRate{"learning_rate", "0.05", "step size of the gradient descent"};

// y = x / (1 + e^-x), one op at a time
Tensor swish_of_small_ops(const Tensor& x) { return x / (1.0 + exp(-x)); }

float sigmoid_of(float x) { return 1 / (1 + std::exp(-x)); }

void same_type(InferContext& c) {
  if (c.in(0).dtype != DType::f32) c.fail("is defined for float32 alone; cast the argument first");
  c.out(c.inputs[0]->type);
}

// Swish: the whole formula in one pass over x
void swish_kernel(KernelContext& c) {
  const float* x = c.in<float>(0);
  float* y = c.out<float>();
  for (std::int64_t i = 0; i < c.out_type().numel; ++i) y[i] = x[i] * sigmoid_of(x[i]);
}

// SwishGrad: g (s + x s (1 - s)), where s is the sigmoid of x
void swish_grad_kernel(KernelContext& c) {
  const float *x = c.in<float>(0), *g = c.in<float>(1);
  float* dx = c.out<float>();
  for (std::int64_t i = 0; i < c.out_type().numel; ++i) {
    const float s = sigmoid_of(x[i]);
    dx[i] = g[i] * (s + x[i] * s * (1 - s));
  }
}

const OpDef& swish_grad_op() {
  static const OpDef& op = register_op(
      {.name = "SwishGrad", .infer = same_type, .kernel = swish_grad_kernel, .doc = "g (s + x s (1 - s))"});
  return op;
}

const OpDef& swish_op() {
  static const OpDef& op = register_op({
      .name = "Swish",
      .infer = same_type,
      .kernel = swish_kernel,
      .saves = OpDef::in_bit(0),
      .vjp = [](VjpContext& c) { c.set(0, apply(swish_grad_op(), c.in(0), c.grad())); },
      .linearity = Linearity::diagonal,
      .doc = "x sigmoid(x)",
  });
  return op;
}

struct CustomOp : Sample {
  Tensor x, target;
  Variable w;
  bool one_op;
  double rate;

  explicit CustomOp(const SampleOptions& options)
      : x(stateless_random_normal({options.count(kRows), options.count(kUnits)}, {options.seed, 1})
              .named("x")),
        target(stateless_random_normal({options.count(kRows), options.count(kUnits)}, {options.seed, 2})
                   .named("target")),
        w(stateless_random_normal({options.count(kUnits)}, {options.seed, 3}), {.name = "w"}),
        one_op(options.variant == "optimized"),
        rate(options.number(kRate)) {
    swish_op();
  }

  Tensor activation(const Tensor& in) const {
    return one_op ? apply(swish_op(), in) : swish_of_small_ops(in);
  }

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor hidden = activation(x * w).named("hidden");
      loss = reduce_mean(square(hidden - target));
    }
    auto gradients = tape.gradient(loss, {w});
    w.assign_sub(rate * gradients[0]);
    context.loss(loss);
    context.report_gradients({w}, gradients);
  }

  std::int64_t default_steps() const override { return 50; }
};

}  // namespace

SampleInfo custom_op_sample() {
  return {
      .name = "custom-op",
      .order = 100,
      .promise = "Four small ops and their gradients become one op each way, with the same values.",
      .document = "1, resources: custom operators",
      .variants = {"unoptimized", "optimized"},
      .parameters = {kRows, kUnits, kRate},
      .file = "custom_op.cpp",
      .lesson =
          "Every small op reads and writes whole tensors, and the tape keeps what its gradient needs: the "
          "formula "
          "in small ops passes over the data many times and saves several tensors. One op with a kernel and "
          "a "
          "custom gradient passes once each way and saves x alone: 0.60 of the bytes. It is as quick as "
          "its "
          "kernel, though. This one calls std::exp for each element, where the library's ops compute eight "
          "at a "
          "time, and the step took 2.8 times as long (2.6 to 3.2). And its gradient is yours to get right: "
          "compare shows that both variants agree.",
      .make = make_sample<CustomOp>,
  };
}

}  // namespace tapescope
