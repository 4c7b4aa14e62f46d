// Heats a kiln in three zones so that the pots inside follow a wanted curve.
#include "report.h"

using namespace tapescope;

struct Zone {
  Variable power;
  double loss;
};

Tensor reach(const std::vector<Zone>& zones, const Tensor& pots) {
  Tensor warmth = zeros_like(pots);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const double place = 0.5 + static_cast<double>(i);
    warmth = warmth + zones[i].power * exp(-square(pots - place)) - zones[i].loss;
  }
  return warmth;
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  std::vector<Zone> zones;
  for (const char* name : {"top", "middle", "bottom"})
    zones.push_back({Variable(constant(1.1), {.name = name}), 0.02});
  const Tensor pots = linspace(0.0, 3.0, 9), wanted = 0.8 + 0.1 * cos(pots);
  const Tensor settings = stack({zones[0].power, zones[1].power, zones[2].power}).named("settings");  //!
  GradientTape tape;
  Tensor error;
  {
    auto recording = tape.record();
    error = reduce_mean(square(reach(zones, pots) - wanted));
  }
  if (fixed) {
    const auto gradients = tape.gradient(error, {zones[0].power, zones[1].power, zones[2].power});
    report("settings", stack(gradients));
    return 0;
  }
  report("settings", tape.gradient(error, settings));
}
