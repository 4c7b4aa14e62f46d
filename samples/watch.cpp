// The derivative with respect to a constant, which the tape has to watch explicitly.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "3.0", "where the derivative is taken"};

struct Watch : Sample {
  Tensor x;  // Not a Variable

  explicit Watch(const SampleOptions& options) : x(constant(options.number(kX)).named("x")) {}

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);  // Explicitly watch the tensor
      y = x * x;
    }
    Tensor dy_dx = tape.gradient(y, x);
    context.output("dy/dx", dy_dx);
  }
};

}  // namespace

SampleInfo watch_sample() {
  return {
      .name = "watch",
      .order = 140,
      .promise = "A constant has a gradient once the tape watches it: 6.",
      .document = "3, watching tensors",
      .parameters = {kX},
      .file = "watch.cpp",
      .lesson =
          "A tape follows trainable variables by itself and everything else only after watch(). Watching "
          "comes "
          "before the op that uses the tensor: what ran earlier is not recorded after the fact. Without the "
          "call the gradient is None; the sample none-gradients shows that.",
      .make = make_sample<Watch>,
  };
}

}  // namespace tapescope
