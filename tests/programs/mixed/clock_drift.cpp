// A clock's drift: the loss holds the slope of the drift by temperature, taken inside the outer tape.
#include "report.h"

using namespace tapescope;

class Clock {
 public:
  Variable bend{constant(0.04), {.name = "bend"}};
  Variable offset{constant(-0.3), {.name = "offset"}};

  Tensor drift(const Tensor& warmth) const { return bend * square(warmth - 20.0) + offset; }
};

int main() {
  const Clock clock;
  const Tensor warmth = linspace(5.0, 35.0, 7), slopes = 0.05 * (warmth - 20.0),
               drifts = 0.02 * square(warmth - 20.0);
  std::vector<Tensor> gradients;
  for (int week = 0; week < 3; ++week) {
    GradientTape outer;
    Tensor loss;
    {
      auto recording = outer.record();
      GradientTape inner;
      Tensor drift;
      {
        auto inside = inner.record();
        inner.watch(warmth);
        drift = clock.drift(warmth);
      }
      const Tensor slope = inner.gradient(drift, warmth);
      loss = reduce_mean(square(slope - slopes)) + 0.01 * reduce_mean(square(drift - drifts));
    }
    gradients = outer.gradient(loss, {clock.bend, clock.offset});
    clock.bend.assign_sub(1e-5 * gradients[0]);
    clock.offset.assign_sub(1e-2 * gradients[1]);
  }
  report("bend", gradients[0]);
  report("offset", gradients[1]);
}
