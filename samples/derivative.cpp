// The derivative of x * x at 3: the simplest use of a GradientTape.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "3.0", "where the derivative is taken"};

struct Derivative : Sample {
  Variable x;

  explicit Derivative(const SampleOptions& options) : x(constant(options.number(kX)), {.name = "x"}) {}

  void step(StepContext& context) override {
    // Record operations with GradientTape
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = x * x;
    }
    // Calculate the gradient dy/dx
    Tensor dy_dx = tape.gradient(y, x);
    context.output("dy/dx", dy_dx);
  }
};

}  // namespace

SampleInfo derivative_sample() {
  return {
      .name = "derivative",
      .order = 120,
      .promise = "The derivative of x * x at 3 is 6: one tape, three recorded ops.",
      .document = "3, getting started",
      .parameters = {kX},
      .file = "derivative.cpp",
      .lesson =
          "x is a trainable variable, so the tape watches it as soon as it is read. Each x in x * x is a "
          "separate "
          "read: the tape holds ReadVariableOp, ReadVariableOp, Mul. Walking back, both reads receive "
          "a "
          "cotangent of 3, and their sum is dy/dx = 6.",
      .make = make_sample<Derivative>,
  };
}

}  // namespace tapescope
