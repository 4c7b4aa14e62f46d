// Lets beads slide into the two wells of a potential, by plain descent with a step that halves at dawn.
#include "report.h"

using namespace tapescope;

struct Wells {
  Variable beads{constant({0.3, -0.8, 1.9, 2.6}), {.name = "beads"}};
  Variable depth{1.5, {.name = "depth"}};

  Tensor potential() const {
    const Tensor apart = square(beads) - 1.0;  //!
    return depth * reduce_sum(square(apart)) + 0.1 * square(depth - 1.0);  //~
  }
};

double rate_of(int step, bool small) { return (small ? 0.01 : 0.12) / (1 + step / 24); }

int main(int argc, char**) {
  const Wells wells;
  std::vector<Tensor> gradients;
  for (int step = 0; step < 12; ++step) {
    GradientTape tape;
    Tensor potential;
    {
      auto recording = tape.record();
      potential = wells.potential();
    }
    gradients = tape.gradient(potential, {wells.beads, wells.depth});
    wells.beads.assign_sub(rate_of(step, argc > 1) * gradients[0]);  //~
    wells.depth.assign_sub(1e-6 * gradients[1]);
  }
  report("beads", gradients[0]);
  report("depth", gradients[1]);
}
