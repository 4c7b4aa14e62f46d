// How a prism spreads colours: sensitivities by the glass and by the angle of the beam.
#include "report.h"

using namespace tapescope;

Tensor deviation(const Tensor& beam, const Variable& glass, const Tensor& colours) {
  const Tensor index = glass + 0.012 / square(colours);
  const Tensor inside = asin(sin(beam) / index);  //!
  return beam + asin(index * sin(1.0 - inside)) - 1.0;
}

int main(int argc, char**) {
  const Variable glass(1.5, {.name = "glass"});
  const Tensor colours = constant({0.45, 0.55, 0.65});
  const Tensor beam = constant(0.8).named("beam");  //~
  GradientTape tape;
  Tensor spread;
  {
    auto recording = tape.record();
    if (argc > 1) tape.watch(beam);
    spread = reduce_sum(deviation(beam, glass, colours) * constant({-1.0, 0.0, 1.0}));
  }
  const auto gradients = tape.gradient(spread, {glass, beam}, {.unconnected = Unconnected::zero});
  report("glass", gradients[0]);
  report("beam", gradients[1]);
}
