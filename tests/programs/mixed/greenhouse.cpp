// A greenhouse's valve: its control is a sigmoid that starts far out.
#include "report.h"

using namespace tapescope;

struct Valve {
  Variable offset{-140.0, {.name = "offset"}};
  Tensor open(const Tensor& warmth, double scale) const { return sigmoid(warmth + scale * offset); }  //!
};

int main(int argc, char**) {
  const Valve valve;
  const Tensor warmth = constant({0.3, 0.8, 1.4}), wanted = constant({0.2, 0.4, 0.9});
  SGD optimizer(1.0);
  Tensor gradient;
  for (int hour = 0; hour < 3; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(valve.open(warmth, argc > 1 ? 0.01 : 1.0) - wanted));
    }
    gradient = tape.gradient(loss, valve.offset);
    optimizer.apply_gradients(std::vector{gradient}, {valve.offset});
  }
  report("offset", gradient);
}
