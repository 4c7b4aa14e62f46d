// Predicts a spring's warmth. The scale is printed each round, and the loss was meant to hold it too.
#include "report.h"

using namespace tapescope;

class Spring {
 public:
  Variable depth{constant(0.8), {.name = "depth"}};
  Variable flow{constant(0.2), {.name = "flow"}};
  Variable scale{constant(40.0), {.name = "scale"}};

  Tensor warmth(const Tensor& season) const { return tanh(depth * season) + flow; }
  Tensor degrees(const Tensor& season) const { return scale * warmth(season); }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Spring spring;
  const Tensor season = linspace(-1.0, 1.0, 12), seen = 38.0 + 4.0 * season;
  std::vector<Tensor> gradients;
  for (int week = 0; week < 3; ++week) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor degrees = spring.degrees(season);  //~
      std::fprintf(stderr, "week %d: %.1f degrees\n", week, item(reduce_mean(degrees)));
      const Tensor guess = fixed ? degrees / 40.0 : spring.warmth(season);  //~
      loss = reduce_mean(square(guess - seen / 40.0));  //!
    }
    gradients = tape.gradient(loss, {spring.depth, spring.flow, spring.scale});
  }
  report("depth", gradients[0]);
  report("flow", gradients[1]);
  report("scale", gradients[2]);
}
