// Smooth optics: the slope of the surface enters the loss, so a gradient is taken while the outer tape
// records.
#include "report.h"

using namespace tapescope;

struct Surface {
  Variable bend{constant({0.4, -0.2, 0.1}), {.name = "bend"}};
  Tensor height(const Tensor& x) const {
    return reduce_sum(expand_dims(bend, 0) * stack({x, square(x), x * square(x)}, 1), 1);
  }
};

int main() {
  const Surface lens;
  const Tensor x = linspace(-1.0, 1.0, 9).named("x");
  const Tensor wanted = 0.3 * square(x);
  Tensor gradient;
  for (int pass = 0; pass < 5; ++pass) {
    GradientTape outer;
    Tensor loss;
    {
      auto recording = outer.record();
      GradientTape inner;
      Tensor height;
      {
        auto shape = inner.record();
        inner.watch(x);
        height = lens.height(x);
      }
      const Tensor slope = inner.gradient(height, x);
      loss = reduce_mean(square(height - wanted)) + 0.1 * reduce_mean(square(slope));
    }
    gradient = outer.gradient(loss, lens.bend);
    lens.bend.assign_sub(0.1 * gradient);
  }
  report("bend", gradient);
}
