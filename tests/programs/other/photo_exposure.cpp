// Finds exposure and contrast of a raw photograph so that the print has the wanted brightness.
#include "report.h"

using namespace tapescope;

struct Darkroom {
  Variable exposure{constant(-3.0), {.name = "exposure"}};
  Variable contrast{constant(1.2), {.name = "contrast"}};

  Tensor develop(const Tensor& raw, double black) const {
    const Tensor light = relu(raw + exposure);
    const Tensor toned = contrast * light - black;
    return minimum(maximum(toned, 0.0), 1.0);  //!
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Darkroom room;
  if (fixed) room.exposure.assign(constant(0.1));
  const Tensor raw = constant({{0.2, 0.5, 0.4}, {0.6, 0.3, 0.7}}).named("raw");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor print = room.develop(raw, fixed ? 0.1 : 0.3);
    loss = square(reduce_mean(print) - 0.45);
  }
  const auto gradients = tape.gradient(loss, {room.exposure, room.contrast});
  report("exposure", gradients[0]);
  report("contrast", gradients[1]);
}
