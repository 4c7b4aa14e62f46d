// Gradients of x * x * y + y * y with respect to two variables at once.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "2.0", "value of x"};
const SampleParameter kY{"y", "3.0", "value of y"};

struct MultiVariable : Sample {
  Variable x, y;

  explicit MultiVariable(const SampleOptions& options)
      : x(constant(options.number(kX)), {.name = "x"}), y(constant(options.number(kY)), {.name = "y"}) {}

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor f;
    {
      auto recording = tape.record();
      f = x * x * y + y * y;
    }
    // Get gradients df/dx and df/dy
    auto gradients = tape.gradient(f, {x, y});
    context.output("df/dx", gradients[0]);
    context.output("df/dy", gradients[1]);
  }
};

}  // namespace

SampleInfo multi_variable_sample() {
  return {
      .name = "multi-variable",
      .order = 130,
      .promise = "One backward pass gives the gradients of both variables: 12 and 10.",
      .document = "3, multiple variables",
      .parameters = {kX, kY},
      .file = "multi_variable.cpp",
      .lesson =
          "The gradients for x and y come from one walk over the tape: df/dx = 2xy = 12 and df/dy = x^2 + 2y "
          "= 10. Every mention of a variable is a read, so nine ops are recorded for four in the formula; "
          "the "
          "cotangents of all reads of a variable are added up.",
      .make = make_sample<MultiVariable>,
  };
}

}  // namespace tapescope
