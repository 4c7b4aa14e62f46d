// stop_gradient makes a factor a constant for the backward pass.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "2.0", "value of x"};
const SampleParameter kY{"y", "3.0", "value of y"};

struct StopGradient : Sample {
  Variable x, y;

  explicit StopGradient(const SampleOptions& options)
      : x(constant(options.number(kX)), {.name = "x"}), y(constant(options.number(kY)), {.name = "y"}) {}

  void step(StepContext& context) override {
    // Persistent, because gradient() is called twice
    GradientTape tape({.persistent = true});
    Tensor g;
    {
      auto recording = tape.record();
      // f will be treated as a constant for gradient computation
      Tensor f = stop_gradient(x * y);
      g = x * f;
    }
    Tensor dg_dx = tape.gradient(g, x);
    Tensor dg_dy = tape.gradient(g, y);
    context.output("dg/dx", dg_dx);  // Equal to f (or x * y)
    context.output("dg/dy", dg_dy);  // None: the only path to y ends in stop_gradient
  }
};

}  // namespace

SampleInfo stop_gradient_sample() {
  return {
      .name = "stop-gradient",
      .order = 170,
      .promise = "A stopped factor counts as a constant: dg/dx is 6, dg/dy is None.",
      .document = "3, controlling gradient recording",
      .parameters = {kX, kY},
      .file = "stop_gradient.cpp",
      .lesson =
          "The lesson says dg/dy is 0 and prints None; None it is, because no path from g to y is left. "
          "Its "
          "code asks a tape for gradients twice that allows one question: that raises, so the tape here is "
          "persistent.",
      .make = make_sample<StopGradient>,
  };
}

}  // namespace tapescope
