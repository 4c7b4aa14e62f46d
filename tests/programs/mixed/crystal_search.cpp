// Predicts the structure of crystals: forces are slopes of a learned energy, choices leave taken sites out.
#include "report.h"

#include <limits>

using namespace tapescope;

class Lattice {
 public:
  Variable charge{constant({0.8, -0.6, 0.3, -0.5}), {.name = "charge"}};
  Variable radius{constant({1.0, 1.2, 0.9, 1.1}), {.name = "radius"}};

  Tensor energy(const Tensor& sites) const {
    const Tensor apart = expand_dims(sites, 0) - expand_dims(sites, 1) + 2.0 * eye(4);
    const Tensor pairs = expand_dims(charge, 0) * expand_dims(charge, 1) / abs(apart);
    const Tensor core = exp(-square(apart / (expand_dims(radius, 0) + expand_dims(radius, 1))));
    return 0.5 * reduce_sum((pairs + core) * (1.0 - eye(4)));
  }
  Tensor forces(const Tensor& sites) const {
    GradientTape tape;
    Tensor energy_here;
    {
      auto recording = tape.record();
      tape.watch(sites);
      energy_here = energy(sites);
    }
    return -tape.gradient(energy_here, sites);
  }
};

// The logarithm of the chance of each free site to be the next one.
Tensor log_choice(const Tensor& score, const Tensor& taken) {
  const float never = -std::numeric_limits<float>::infinity();
  return log_softmax(where(taken, never, score));
}

int main() {
  const Lattice lattice;
  const Tensor sites = constant({0.0, 1.1, 2.3, 3.2}), seen = constant({0.2, -0.1, 0.15, -0.25});
  const Tensor taken = constant({0, 1, 0, 0}) > 0;
  std::vector<Tensor> gradients;
  AdamW optimizer(0.01);
  for (int sweep = 0; sweep < 4; ++sweep) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor forces = lattice.forces(sites + 0.01 * sweep);
      const Tensor chance = log_choice(abs(forces), taken);
      loss = reduce_mean(square(forces - seen)) - 0.1 * chance[2];
    }
    gradients = tape.gradient(loss, {lattice.charge, lattice.radius});
    optimizer.apply_gradients(gradients, {lattice.charge, lattice.radius});
  }
  report("charge", gradients[0]);
  report("radius", gradients[1]);
}
