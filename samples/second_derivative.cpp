// First and second derivative of x * x * x at 1, with one tape inside another.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "1.0", "where the derivatives are taken"};

struct SecondDerivative : Sample {
  Variable x;

  explicit SecondDerivative(const SampleOptions& options) : x(constant(options.number(kX)), {.name = "x"}) {}

  void step(StepContext& context) override {
    GradientTape tape_2({.name = "tape_2"});
    Tensor dy_dx;
    {
      auto recording_2 = tape_2.record();
      GradientTape tape_1({.name = "tape_1"});
      Tensor y;
      {
        auto recording_1 = tape_1.record();
        y = x * x * x;
      }
      // First derivative: dy/dx, inside the block of tape_2
      dy_dx = tape_1.gradient(y, x);
    }
    // Second derivative: d²y/dx²
    Tensor d2y_dx2 = tape_2.gradient(dy_dx, x);
    context.output("dy/dx", dy_dx);
    context.output("d²y/dx²", d2y_dx2);
  }
};

}  // namespace

SampleInfo second_derivative_sample() {
  return {
      .name = "second-derivative",
      .order = 150,
      .promise = "A tape that records another tape's backward pass gives the second derivative: 3, then 6.",
      .document = "3, nested tapes",
      .parameters = {kX},
      .file = "second_derivative.cpp",
      .lesson =
          "The first gradient has to be taken inside the block of the outer tape, so that the ops of the "
          "inner "
          "backward pass are recorded too. The lesson lost its indentation there; with the inner gradient "
          "after the outer block the second derivative would be None.",
      .make = make_sample<SecondDerivative>,
  };
}

}  // namespace tapescope
