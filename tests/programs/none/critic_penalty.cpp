// A critic of paintings whose slope is kept near one.
#include "report.h"

using namespace tapescope;

class Critic {
 public:
  Tensor score(const Tensor& painting) const { return reduce_sum(tanh(matvec(first, painting)) * second); }

  Variable first{constant({{0.7, -0.2, 0.4}, {0.1, 0.9, -0.6}}), {.name = "first"}};
  Variable second{constant({1.2, -0.8}), {.name = "second"}};
};

Tensor penalty(const Tensor& slope) { return square(reduce_sum(square(slope)) - 1.0); }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Critic critic;
  const Tensor mixed = constant({0.3, 0.8, 0.5}).named("mixed");
  GradientTape weights, pixels;
  Tensor score, total;
  {
    auto of_weights = weights.record();
    {
      auto of_pixels = pixels.record();
      pixels.watch(mixed);
      score = critic.score(mixed);
    }
    if (fixed) {
      total = penalty(pixels.gradient(score, mixed));
    } else {
      auto pause = weights.stop_recording();  //~
      const Tensor slope = pixels.gradient(score, mixed);  //!
      total = penalty(slope);
    }
  }
  const auto gradients = weights.gradient(total, {critic.first, critic.second});
  report("first", gradients[0]);
  report("second", gradients[1]);
}
