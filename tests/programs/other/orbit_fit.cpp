// Orbit of a comet from sightings: two losses of one forward pass, each with slopes that are weighed before
// they are added.
#include "report.h"

using namespace tapescope;

struct Orbit {
  Variable radius{constant(1.3), {.name = "radius"}};
  Variable speed{constant(0.8), {.name = "speed"}};
};

std::vector<Tensor> balanced(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  const Tensor weight = global_norm(a) / (global_norm(b) + 1e-6);
  std::vector<Tensor> sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(a[i] + weight * b[i]);
  return sum;
}

int main() {
  const Orbit orbit;
  const Tensor days = constant({0.0, 0.4, 0.9, 1.3, 2.0}).named("days");
  const Tensor x = constant({1.5, 1.4, 1.1, 0.7, 0.0}), y = constant({0.0, 0.5, 1.0, 1.3, 1.5});
  std::vector<Tensor> step;
  for (int round = 0; round < 6; ++round) {
    GradientTape tape({.persistent = true});
    Tensor across, along;
    {
      auto recording = tape.record();
      const Tensor angle = orbit.speed * days;
      across = reduce_mean(square(orbit.radius * cos(angle) - x));
      along = reduce_mean(square(orbit.radius * sin(angle) - y));
    }
    step = balanced(tape.gradient(across, {orbit.radius, orbit.speed}),
                    tape.gradient(along, {orbit.radius, orbit.speed}));
    orbit.radius.assign_sub(0.1 * step[0]);
    orbit.speed.assign_sub(0.1 * step[1]);
  }
  report("radius", step[0]);
  report("speed", step[1]);
}
