// Chooses ski wax; a step is taken only when the slide is better after it.
#include "report.h"

using namespace tapescope;

class Wax {
 public:
  Variable mixture{linspace(0.2, 0.9, 600), {.name = "mixture"}};
  Tensor snow = 1.0 + 0.5 * sin(linspace(0.0, 25.0, 600));

  Tensor friction() const {
    const Tensor grip = snow * square(mixture) + 0.1 / (mixture + 0.2);
    return reduce_mean(grip * sigmoid(grip));
  }
};

int main() {
  const Wax wax;
  Tensor gradient;
  double step = 40;
  for (int run = 0; run < 8; ++run) {
    GradientTape tape;
    Tensor before;
    {
      auto recording = tape.record();
      before = wax.friction();
    }
    gradient = tape.gradient(before, wax.mixture);
    wax.mixture.assign_sub(step * gradient);
    const Tensor after = wax.friction();
    if (item(after) > item(before)) {
      wax.mixture.assign_add(step * gradient);
      step *= 0.5;
    }
  }
  report("mixture", gradient);
}
