// Fog on a stage: only the machine's power is to be tuned, so the tape watches nothing by itself.
#include "report.h"

using namespace tapescope;

class Fog {
 public:
  Variable power{constant(0.8), {.name = "power"}};
  Variable fan{constant(0.3), {.name = "fan"}};

  Tensor density(const Tensor& seconds) const {
    const Tensor made = power * (1.0 - exp(-0.2 * seconds));
    return made * exp(-fan * seconds);  //!
  }
};

int main(int argc, char**) {
  const Fog fog;
  const Tensor seconds = linspace(0.0, 8.0, 9), wanted = fill({9}, 0.25);
  std::vector<Tensor> gradients;
  for (int show = 0; show < 4; ++show) {
    GradientTape tape({.watch_accessed_variables = false});  //~
    Tensor miss;
    {
      auto recording = tape.record();
      tape.watch(fog.power);
      if (argc > 1) tape.watch(fog.fan);
      miss = reduce_mean(square(fog.density(seconds) - wanted));
    }
    gradients = tape.gradient(miss, {fog.power, fog.fan});
    fog.power.assign_sub(0.2 * gradients[0]);
    if (gradients[1]) fog.fan.assign_sub(0.2 * gradients[1]);
  }
  report("power", gradients[0]);
  report("fan", gradients[1]);
}
