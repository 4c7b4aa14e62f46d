// Soil moisture over a week of rain, fitted to one probe.
#include "report.h"

using namespace tapescope;

struct Soil {
  Variable infiltration{constant(0.6), {.name = "infiltration"}};
  Variable drainage{constant(0.2), {.name = "drainage"}};
};

Tensor week(const Soil& soil, Tensor moisture) {
  for (double rain : {4.0, 0.0, 9.0, 1.0, 0.0, 0.0, 6.0}) {
    moisture = moisture + soil.infiltration * rain - soil.drainage * moisture;  //!
  }
  return moisture;
}

void show(const char* when, const Tensor& moisture) {
  std::fprintf(stderr, "%s: %.1f mm\n", when, item(moisture));
}

Tensor simulate(GradientTape& tape, const Soil& soil, bool fixed) {
  const Tensor start = constant(10.0);
  if (fixed) {
    {
      auto pause = tape.stop_recording();
      show("start", start);
    }
    return week(soil, start);
  }
  auto pause = tape.stop_recording();  //~
  show("start", start);
  return week(soil, start);  //~
}

int main(int argc, char**) {
  const Soil soil;
  GradientTape tape;
  Tensor error;
  {
    auto recording = tape.record();
    error = square(simulate(tape, soil, argc > 1) - 14.0);
  }
  const auto gradients = tape.gradient(error, {soil.infiltration, soil.drainage});
  report("infiltration", gradients[0]);
  report("drainage", gradients[1]);
}
