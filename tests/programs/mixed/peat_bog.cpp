// Depth of peat from soundings; depths are kept within what the rod can reach.
#include "report.h"

using namespace tapescope;

class Bog {
 public:
  Variable ground{constant({1.5, -0.5}), {.name = "ground"}};
  Variable noise{constant(0.2), {.name = "noise"}};

  Tensor depth(const Tensor& places, double unit) const {
    return clip_by_value(matvec(places, ground) * unit, 0.0, 3.0);  //!
  }
};

int main(int argc, char**) {
  const Bog bog;
  const Tensor places = constant({{1.0, 0.2}, {0.8, 0.1}, {1.2, 0.5}});
  const Tensor rods = constant({1.2, 1.1, 1.4});
  std::vector<Tensor> gradients;
  for (int walk = 0; walk < 3; ++walk) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      const Tensor depth = bog.depth(places, argc > 1 ? 1.0 : 100.0);  //~
      miss = reduce_mean(square(depth - rods)) * exp(-bog.noise) + bog.noise;
    }
    gradients = tape.gradient(miss, {bog.ground, bog.noise});
    bog.noise.assign_sub(0.05 * gradients[1]);
  }
  report("ground", gradients[0]);
  report("noise", gradients[1]);
}
