// Keeps drones apart: each pair's distance enters an energy, and the drones are moved down its slope.
#include "report.h"

using namespace tapescope;

class Swarm {
 public:
  explicit Swarm(const Tensor& start) : positions(start, {.name = "positions"}) {}

  Tensor distances(double softening) const {
    const Tensor here = positions.value();
    const Tensor apart = expand_dims(here, 0) - expand_dims(here, 1);
    return sqrt(reduce_sum(square(apart), -1) + softening);  //!
  }

  Tensor energy(double softening) const {
    const Tensor spacing = distances(softening);
    return reduce_sum(exp(-spacing)) + 0.05 * reduce_sum(square(positions));
  }

  Variable positions;
};

int main(int argc, char**) {
  const double softening = argc > 1 ? 1e-9 : 0.0;
  const Swarm swarm(constant({{0.0, 0.0, 1.0}, {1.0, 0.5, 1.5}, {-0.5, 1.0, 2.0}, {0.3, -1.2, 1.0}}));
  Tensor force;
  for (int tick = 0; tick < 2; ++tick) {
    GradientTape tape;
    Tensor energy;
    {
      auto recording = tape.record();
      energy = swarm.energy(softening);
    }
    force = tape.gradient(energy, swarm.positions);
    swarm.positions.assign_sub(0.1 * force);
  }
  report("positions", force);
}
