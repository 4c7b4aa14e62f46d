// Viscosity of molten glass: three constants of its law, as one vector that a quasi-Newton search can step
// on.
#include "report.h"

using namespace tapescope;

class Law {
 public:
  Variable level{-2.0, {.name = "level"}}, slope{4.5, {.name = "slope"}}, onset{0.6, {.name = "onset"}};

  std::vector<Variable> parts() const { return {level, slope, onset}; }
  Tensor flat() const { return stack({level, slope, onset}).named("flat"); }  //!
  Tensor log_viscosity(const Tensor& heat) const { return level + slope / (heat - onset); }
  Tensor log_viscosity(const Tensor& heat, const Tensor& flat) const {
    return flat[0] + flat[1] / (heat - flat[2]);
  }
};

struct Search {
  double rate = 0.02;
  Tensor last;

  Tensor direction(const Tensor& gradient) {
    if (!gradient) return zeros({3});
    last = last ? 0.8 * last + gradient : gradient;
    return -rate * last;
  }
};

int main(int argc, char**) {
  const Law law;
  Search search;
  const Tensor heat = linspace(1.1, 1.8, 6), measured = constant({7.2, 5.4, 4.3, 3.3, 2.8, 2.3});
  Tensor gradient;
  for (int melt = 0; melt < 4; ++melt) {
    GradientTape tape;
    Tensor miss, flat;
    {
      auto recording = tape.record();
      flat = law.flat();  //~
      const Tensor guess = argc > 1 ? law.log_viscosity(heat, flat) : law.log_viscosity(heat);  //~
      miss = reduce_mean(square(guess - measured));
    }
    gradient = tape.gradient(miss, flat);  //~
    const Tensor step = search.direction(gradient);
    for (int i = 0; i < 3; ++i) law.parts()[i].assign_add(step[i]);
  }
  report("flat", gradient);
}
