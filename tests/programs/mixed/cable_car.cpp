// A cable car's swing: the slope of its sway by time enters the loss, and that of the loss by the damper.
#include "report.h"

using namespace tapescope;

class Car {
 public:
  Variable damper{constant(0.4), {.name = "damper"}};
  Variable weight{constant(1.1), {.name = "weight"}};

  Tensor sway(const Tensor& time) const { return exp(-damper * time) * sin(weight * time); }
};

// Sway and its speed at these times.
std::pair<Tensor, Tensor> motion(const Car& car, const Tensor& times) {
  GradientTape inner;
  Tensor sway;
  {
    auto recording = inner.record();
    inner.watch(times);
    sway = car.sway(times);
  }
  return {sway, inner.gradient(sway, times)};  //~
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Car car;
  const Tensor times = linspace(0.0, 4.0, 9);
  std::vector<Tensor> gradients;
  for (int ride = 0; ride < 3; ++ride) {
    GradientTape outer;
    Tensor loss;
    if (fixed) {
      auto recording = outer.record();
      loss = reduce_mean(square(motion(car, times).second));
    } else {
      const auto [sway, speed] = motion(car, times);  //!
      auto recording = outer.record();
      loss = reduce_mean(square(speed));
    }
    gradients = outer.gradient(loss, {car.damper, car.weight});
  }
  report("damper", gradients[0]);
  report("weight", gradients[1]);
}
