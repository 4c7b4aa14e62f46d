// Whether loaves of sourdough rise, by the hours that they rested and the warmth of the kitchen.
#include "report.h"

using namespace tapescope;

class Starter {
 public:
  Variable hours{constant(0.6), {.name = "hours"}};
  Variable warmth{constant(0.3), {.name = "warmth"}};
  Variable bias{constant(-4.0), {.name = "bias"}};

  Tensor rises(const Tensor& rested, const Tensor& degrees) const {
    return sigmoid(hours * rested + warmth * degrees + bias);  //~
  }
};

// The probability of what was seen, as its negative logarithm.
Tensor surprise(const Tensor& chance, const Tensor& risen, double floor) {
  const Tensor yes = floor > 0 ? clip_by_value(chance, floor, 1.0 - floor) : chance;
  return -reduce_mean(risen * log(yes) + (1.0 - risen) * log(1.0 - yes));  //!
}

struct Batch {
  double rest;
  Tensor rested() const { return linspace(2.0, rest, 8); }
};

int main(int argc, char**) {
  const double floor = argc > 1 ? 1e-6 : 0.0;
  const Starter starter;
  const Tensor risen = constant({0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0});
  std::vector<Tensor> gradients;
  for (const Batch& batch : {Batch{5.0}, Batch{8.0}, Batch{48.0}}) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor chance = starter.rises(batch.rested(), linspace(18.0, 26.0, 8));
      loss = surprise(chance, risen, floor);
    }
    gradients = tape.gradient(loss, {starter.hours, starter.warmth, starter.bias});
    starter.bias.assign_sub(0.1 * gradients[2]);
  }
  report("hours", gradients[0]);
  report("warmth", gradients[1]);
  report("bias", gradients[2]);
}
