// Robots of a swarm keep a distance: each pair pushes by how near it is. The weights of the push are learned.
#include "report.h"

using namespace tapescope;

struct Swarm {
  Variable push{constant(1.2), {.name = "push"}};
  Variable reach{constant(0.8), {.name = "reach"}};
  Variable places{constant({{0.0, 0.0}, {1.0, 0.2}, {0.4, 1.1}}), {.name = "places"}};

  Tensor distances(bool guarded) const {
    const Tensor gaps = expand_dims(places, 0) - expand_dims(places, 1);
    const Tensor squares = reduce_sum(square(gaps), 2);
    if (guarded) return sqrt(squares + 1e-6);
    return sqrt(squares);  //!
  }
  Tensor energy(bool guarded) const {
    const Tensor near = exp(-distances(guarded) / reach);
    return push * reduce_sum(near) + 0.1 * reduce_sum(square(places));
  }
};

int main(int argc, char**) {
  const Swarm swarm;
  GradientTape tape;
  Tensor energy;
  {
    auto recording = tape.record();
    energy = swarm.energy(argc > 1);
  }
  const auto gradients = tape.gradient(energy, {swarm.push, swarm.reach, swarm.places});
  report("push", gradients[0]);
  report("reach", gradients[1]);
  report("places", gradients[2]);
}
