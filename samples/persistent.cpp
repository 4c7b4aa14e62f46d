// Two gradients from one recording: an error with an ordinary tape, 6 and 27 with a persistent one.
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kX{"x", "3.0", "where the derivatives are taken"};

struct NonPersistent : Sample {
  Variable x;

  explicit NonPersistent(const SampleOptions& options) : x(constant(options.number(kX)), {.name = "x"}) {}

  void step(StepContext& context) override {
    GradientTape tape;
    Tensor y, z;
    {
      auto recording = tape.record();
      y = x * x;
      z = x * x * x;
    }
    // First gradient computation works
    Tensor dy_dx = tape.gradient(y, x);
    context.output("dy/dx", dy_dx);
    context.report_gradients({x}, std::vector{dy_dx});
    // This will raise an error
    try {
      Tensor dz_dx = tape.gradient(z, x);
      context.output("dz/dx", dz_dx);
    } catch (const Error& e) {
      context.error(e);
    }
  }
};

struct Persistent : Sample {
  Variable x;

  explicit Persistent(const SampleOptions& options) : x(constant(options.number(kX)), {.name = "x"}) {}

  void step(StepContext& context) override {
    GradientTape tape({.persistent = true});
    Tensor y, z;
    {
      auto recording = tape.record();
      y = x * x;
      z = x * x * x;
    }
    Tensor dy_dx = tape.gradient(y, x);
    Tensor dz_dx = tape.gradient(z, x);
    context.output("dy/dx", dy_dx);
    context.output("dz/dx", dz_dx);
    context.report_gradients({x}, std::vector{dy_dx});
    // The tape is deleted at the end of this block
  }
};

std::unique_ptr<Sample> make(const SampleOptions& options) {
  if (options.variant == "persistent") return std::make_unique<Persistent>(options);
  return std::make_unique<NonPersistent>(options);
}

}  // namespace

SampleInfo persistent_sample() {
  return {
      .name = "persistent",
      .order = 160,
      .promise = "A second gradient from the same tape is an error, unless the tape is persistent.",
      .document = "3, persistent and non-persistent tapes",
      .variants = {"non-persistent", "persistent"},
      .parameters = {kX},
      .file = "persistent.cpp",
      .lesson =
          "An ordinary tape lets go of what it saved as soon as gradient() returns; a second question "
          "raises. A "
          "persistent tape keeps everything until it is deleted, which costs memory: use it only where more "
          "than one gradient is asked, and prefer one call with several sources where that is possible.",
      .make = make,
  };
}

}  // namespace tapescope
