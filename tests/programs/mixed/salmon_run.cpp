// Salmon that pass a weir, by a logistic law in the water's speed.
#include <cmath>

#include "report.h"

using namespace tapescope;

class Weir {
 public:
  Variable speed{constant(1.3), {.name = "speed"}};
  Variable count{constant(40.0), {.name = "count"}};

  double passing() const { return 1.0 / (1.0 + std::exp(-2.0 * (1.5 - item(speed)))); }  //!
  Tensor passing_share() const { return sigmoid(2.0 * (1.5 - speed)); }
};

int main(int argc, char**) {
  const Weir weir;
  std::vector<Tensor> gradients;
  for (int week = 0; week < 4; ++week) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      const Tensor share = argc > 1 ? weir.passing_share() : constant(weir.passing());  //~
      miss = square(share * weir.count - 31.0);
    }
    gradients = tape.gradient(miss, {weir.speed, weir.count});
    weir.count.assign_sub(0.1 * gradients[1]);
  }
  report("speed", gradients[0]);
  report("count", gradients[1]);
}
