// Depth from sonar echoes, computed in half precision on the buoy.
#include "report.h"

using namespace tapescope;

struct Buoy {
  Variable speed{constant(1480.0, DType::f16), {.name = "speed"}};  // metres a second
  Variable offset{constant(0.5, DType::f16), {.name = "offset"}};

  Tensor depth(const Tensor& seconds) const { return 0.5 * speed * seconds - offset; }
};

Tensor misfit(const Tensor& depth, const Tensor& charted, bool fixed) {
  if (fixed) return reduce_mean(square(cast(depth, DType::f32) - cast(charted, DType::f32)));
  return reduce_mean(square(depth - charted));  //!
}

int main(int argc, char**) {
  const Buoy buoy;
  const Tensor seconds = constant({0.04, 0.11, 0.9}, DType::f16).named("seconds");
  const Tensor charted = constant({30.0, 80.0, 120.0}, DType::f16).named("charted");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = misfit(buoy.depth(seconds), charted, argc > 1);
  }
  const auto gradients = tape.gradient(loss, {buoy.speed, buoy.offset});
  report("speed", gradients[0]);
  report("offset", gradients[1]);
}
