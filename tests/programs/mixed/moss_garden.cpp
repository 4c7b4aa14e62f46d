// Hyperparameter search: how the validation loss after one inner step depends on the inner learning rate.
#include "report.h"

using namespace tapescope;

struct Garden {
  Variable moss{constant({0.5, -0.2, 0.1}), {.name = "moss"}};
  Variable rate{constant(0.1), {.name = "rate"}};
  Tensor shade = constant({{0.2, 0.4, 0.1}, {0.9, 0.1, 0.3}, {0.4, 0.6, 0.8}});
  Tensor green = constant({0.3, 0.5, 0.9});

  Tensor loss(const Tensor& moss) const { return reduce_mean(square(matvec(shade, moss) - green)); }
};

Tensor tuned_loss(const Garden& garden, bool fixed) {
  GradientTape inner;
  Tensor before, moss;
  {
    auto recording = inner.record();
    moss = garden.moss.value();
    before = garden.loss(moss);
  }
  const Tensor slope = inner.gradient(before, garden.moss);
  if (fixed) return garden.loss(moss - garden.rate * slope);
  garden.moss.assign(moss - garden.rate * slope);  //!
  return garden.loss(garden.moss);  //~
}

int main(int argc, char**) {
  const Garden garden;
  GradientTape outer;
  Tensor after;
  {
    auto recording = outer.record();
    after = tuned_loss(garden, argc > 1);
  }
  const auto gradients = outer.gradient(after, {garden.rate, garden.moss});
  report("rate", gradients[0]);
  report("moss", gradients[1]);
}
