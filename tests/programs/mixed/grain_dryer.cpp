// A dryer's moisture with a softplus written by hand; the fan's speed comes in turns a minute.
#include "report.h"

using namespace tapescope;

Tensor positive(const Tensor& x, bool stable) {
  if (stable) return softplus(x);
  return log(1.0 + exp(x));  //!
}

class Dryer {
 public:
  Variable fan{constant(0.9), {.name = "fan"}};
  Variable heater{constant(0.5), {.name = "heater"}};

  Tensor moisture(const Tensor& turns, const Tensor& warmth, bool stable) const {
    const Tensor drying = positive(fan * turns + heater * warmth, stable);  //~
    return 20.0 / (1.0 + 0.1 * drying);
  }
};

int main(int argc, char**) {
  const Dryer dryer;
  const Tensor turns = constant({20.0, 45.0, 80.0, 130.0}), warmth = constant({5.0, 8.0, 9.0, 12.0});
  const Tensor wanted = constant({14.0, 12.5, 11.0, 10.0});
  std::vector<Tensor> gradients;
  for (int load = 0; load < 3; ++load) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(dryer.moisture(turns, warmth, argc > 1) - wanted));
    }
    gradients = tape.gradient(loss, {dryer.fan, dryer.heater});
    dryer.fan.assign_sub(1e-4 * gradients[0]);
  }
  report("fan", gradients[0]);
  report("heater", gradients[1]);
}
