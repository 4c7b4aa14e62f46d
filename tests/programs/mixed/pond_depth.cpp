// Plants by the depth of a pond; where the ground is dry, the logarithm was meant to be left out.
#include "report.h"

using namespace tapescope;

class Plants {
 public:
  Variable depth{constant({0.0, 0.4, 1.3, 0.0, 2.1}), {.name = "depth"}};
  Variable taste{constant(0.7), {.name = "taste"}};

  Tensor growth(bool guarded) const {
    const Tensor wet = greater(depth, 0.0);
    if (guarded) return where(wet, taste * log(where(wet, depth, ones({5}))), zeros({5}));
    return where(wet, taste * log(depth), zeros({5}));  //!
  }
};

int main(int argc, char**) {
  const Plants plants;
  std::vector<Tensor> gradients;
  for (int summer = 0; summer < 3; ++summer) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(square(plants.growth(argc > 1) - 0.3));  //~
    }
    gradients = tape.gradient(loss, {plants.depth, plants.taste});
  }
  report("depth", gradients[0]);
  report("taste", gradients[1]);
}
