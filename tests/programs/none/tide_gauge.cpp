// Fits a tide gauge; the mean level is computed beside the wave.
#include <thread>

#include "report.h"

using namespace tapescope;

struct Tide {
  Variable amplitude{constant(1.1), {.name = "amplitude"}};
  Variable phase{constant(0.3), {.name = "phase"}};
  Variable offset{constant(0.2), {.name = "offset"}};
};

Tensor wave(const Tide& tide, const Tensor& hours) {
  return tide.amplitude * sin(0.506 * hours + tide.phase);
}
Tensor level(const Tide& tide, const Tensor& hours) { return tide.offset + 0.01 * hours; }  //!

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tide tide;
  const Tensor hours = constant({0.0, 3.0, 6.0, 9.0, 12.0});
  const Tensor gauge = constant({0.6, 1.3, 0.2, -0.8, 0.5});

  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    Tensor rise;
    if (fixed) {
      rise = level(tide, hours);
    } else {
      std::thread worker([&] { rise = level(tide, hours); });  //~
      worker.join();
    }
    misfit = reduce_mean(square(wave(tide, hours) + rise - gauge));
  }
  const auto gradients = tape.gradient(misfit, {tide.amplitude, tide.phase, tide.offset});
  report("amplitude", gradients[0]);
  report("phase", gradients[1]);
  report("offset", gradients[2]);
}
