// Places the atoms of a small molecule so that their energy is least.
#include "report.h"

using namespace tapescope;

struct ForceField {
  double depth, width, bond;
  Tensor energy(const Tensor& distance) const {
    return depth * square(1.0 - exp(-width * (distance - bond)));
  }
};

class Molecule {
 public:
  explicit Molecule(std::int64_t atoms)
      : places(reshape(sin(linspace(0.3, 7.0, 3 * atoms)), {atoms, 3}), {.name = "places"}) {}
  Variable places;

  Tensor distances(double softening) const {
    const Tensor apart = expand_dims(places, 0) - expand_dims(places, 1);
    return sqrt(reduce_sum(square(apart), 2) + softening);  //!
  }
  std::int64_t size() const { return places.dim(0); }
};

template <class Field>
Tensor total(const Molecule& molecule, const Field& field, double softening) {
  const Tensor energy = field.energy(molecule.distances(softening));  //~
  const Tensor others = 1.0 - eye(molecule.size());
  return 0.5 * reduce_sum(energy * others) + 0.001 * reduce_sum(energy);
}

int main(int argc, char**) {
  const double softening = argc > 1 ? 1e-6 : 0.0;
  const Molecule molecule(5);
  const ForceField field{1.2, 0.9, 1.4};
  Tensor force;
  for (int step = 0; step < 3; ++step) {
    GradientTape tape;
    Tensor energy;
    {
      auto recording = tape.record();
      energy = total(molecule, field, softening);
    }
    force = tape.gradient(energy, molecule.places);  //~
    molecule.places.assign_sub(0.02 * force);
  }
  report("places", force);
}
