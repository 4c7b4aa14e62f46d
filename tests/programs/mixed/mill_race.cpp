// A water wheel: its paddles' angles are learned against the power at five flows of the race.
#include "report.h"

using namespace tapescope;

class Wheel {
 public:
  Variable angles{constant({0.6, 0.8, 1.0, 1.2}), {.name = "angles"}};
  Variable friction{constant(0.2), {.name = "friction"}};

  // Power of the wheel; the generator takes between 0 and `most` kilowatts.
  Tensor power(const Tensor& flows, double most) const {
    const Tensor push = reduce_sum(expand_dims(flows, 1) * square(sin(angles)), 1);
    const Tensor mechanical = push - friction * flows;
    return clip_by_value(mechanical, 0.0, most);  //!
  }
};

struct Race {
  Tensor flows = constant({20.0, 26.0, 31.0, 40.0, 44.0});  //~
  Tensor sold = constant({9.0, 9.4, 9.8, 10.0, 10.0});
};

std::vector<Tensor> learn(const Wheel& wheel, const Race& race, double most, SGD& optimizer) {
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    miss = reduce_mean(abs(wheel.power(race.flows, most) - race.sold));
  }
  const auto gradients = tape.gradient(miss, {wheel.angles, wheel.friction});
  optimizer.apply_gradients(gradients, {wheel.angles, wheel.friction});
  return gradients;
}

int main(int argc, char**) {
  const Wheel wheel;
  const Race race;
  SGD optimizer(0.001);
  std::vector<Tensor> gradients;
  for (int week = 0; week < 4; ++week) gradients = learn(wheel, race, argc > 1 ? 1000.0 : 10.0, optimizer);
  report("angles", gradients[0]);
  report("friction", gradients[1]);
}
