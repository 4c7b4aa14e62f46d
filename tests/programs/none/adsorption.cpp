// Relaxes the place of an atom over a surface, step by step down the force.
#include "report.h"

using namespace tapescope;

// A hollow site at (0.5, 0.5), soft walls around it.
Tensor potential(const Tensor& place) {
  const Tensor from_site = place - 0.5;  //!
  return reduce_sum(1.0 - exp(-2.0 * square(from_site))) + 0.05 * reduce_sum(square(square(from_site)));
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor start = constant({0.1, 0.8}).named("start");
  Tensor place = start;
  Tensor force;
  for (int step = 0; step < 6; ++step) {
    GradientTape tape;
    Tensor energy;
    {
      auto recording = tape.record();
      tape.watch(fixed ? place : start);  //~
      energy = potential(place);  //~
    }
    force = tape.gradient(energy, place);
    if (!force) break;
    place = (place - 0.1 * force).named("place");  //~
  }
  report("place", force);
}
