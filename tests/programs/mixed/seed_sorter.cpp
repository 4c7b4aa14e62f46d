// Two cameras look at a seed; the sorter believes the one that is surer.
#include "report.h"

using namespace tapescope;

struct Camera {
  Variable focus;
  Variable tint;

  Camera(const std::string& name, double focus, double tint)
      : focus(constant(focus), {.name = name + "/focus"}), tint(constant(tint), {.name = name + "/tint"}) {}

  Tensor sureness(const Tensor& seeds) const { return focus * exp(-square(seeds - tint)); }
};

Tensor verdict(const Camera& left, const Camera& right, const Tensor& seeds, bool mean) {
  const Tensor one = left.sureness(seeds), other = right.sureness(seeds);
  return mean ? 0.5 * (one + other) : reduce_max(stack({one, other}), 0);  //!
}

int main(int argc, char**) {
  const Camera left("left", 0.9, 0.5), right("right", 0.2, 0.4);
  const Tensor seeds = linspace(0.1, 0.9, 9);
  std::vector<Tensor> gradients;
  for (int batch = 0; batch < 3; ++batch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = -reduce_mean(log(verdict(left, right, seeds, argc > 1)));  //~
    }
    gradients = tape.gradient(loss, {left.focus, left.tint, right.focus, right.tint});
  }
  report("left/focus", gradients[0]);
  report("left/tint", gradients[1]);
  report("right/focus", gradients[2]);
  report("right/tint", gradients[3]);
}
