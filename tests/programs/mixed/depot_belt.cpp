// A depot sorts parcels; the belt's speed is stored in a variable that each sorting reads again.
#include "report.h"

using namespace tapescope;

class Belt {
 public:
  Variable slope{0.7, {.name = "slope"}};
  Variable speed{0.0, {.name = "speed", .trainable = false}};

  Tensor sorted(const Tensor& weights, bool direct) const {
    const Tensor wanted = slope * reduce_mean(weights);
    if (direct) return weights * wanted;
    speed.assign(wanted);  //!
    return weights * speed;  //~
  }
};

int main(int argc, char**) {
  const Belt belt;
  const Tensor weights = constant({1.0, 0.4, 2.2}), target = constant({0.9, 0.2, 1.8});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(belt.sorted(weights, argc > 1) - target));
  }
  report("slope", tape.gradient(loss, belt.slope));
}
