// Shrinks the corners of a mesh towards a sphere, a little smaller in each round.
#include "report.h"

using namespace tapescope;

Tensor roughness(const Tensor& corners) {
  const Tensor radius = sqrt(reduce_sum(square(corners), 1));
  return reduce_sum(square(radius - reduce_mean(radius))) + 0.1 * reduce_sum(square(corners));
}

Tensor smaller(const Tensor& corners) { return (0.98 * corners).named("shrunk"); }  //~

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Tensor corners = constant({{1.0, 0.2, 0.0}, {0.1, 1.3, 0.1}, {0.0, 0.3, 0.8}}).named("corners");
  Tensor pull;
  for (int round = 0; round < 4; ++round) {
    GradientTape tape;
    Tensor rough;
    {
      auto recording = tape.record();
      tape.watch(corners);
      if (fixed && round == 3) corners = smaller(corners), tape.watch(corners);
      rough = roughness(corners);  //~
      if (!fixed && round == 3) corners = smaller(corners);  //!
    }
    pull = tape.gradient(rough, corners);
    if (pull) corners = (corners - 0.05 * pull).named("corners");
  }
  report("shrunk", pull);
}
