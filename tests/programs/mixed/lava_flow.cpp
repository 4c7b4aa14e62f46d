// Spread of lava fronts: how much the speeds of a front's cells differ.
#include "report.h"

using namespace tapescope;

class Front {
 public:
  Variable heat{constant({0.5, 0.5, 0.5, 0.5}), {.name = "heat"}};
  Variable slope{constant(0.3), {.name = "slope"}};

  Tensor speeds() const { return slope * exp(heat); }
};

Tensor spread(const Tensor& speeds, double floor) {
  const Tensor centred = speeds - reduce_mean(speeds);
  return sqrt(reduce_mean(square(centred)) + floor);  //!
}

int main(int argc, char**) {
  const Front front;
  const Tensor rough = constant({0.0, 0.1, -0.1, 0.05});
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 4; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor speeds = front.speeds();
      loss = reduce_mean(square(speeds - 0.6 - rough)) + 0.1 * spread(speeds, argc > 1 ? 1e-6 : 0.0);
    }
    gradients = tape.gradient(loss, {front.heat, front.slope});
    front.heat.assign_sub(0.2 * gradients[0]);
    front.slope.assign_sub(0.2 * gradients[1]);
  }
  report("heat", gradients[0]);
  report("slope", gradients[1]);
}
