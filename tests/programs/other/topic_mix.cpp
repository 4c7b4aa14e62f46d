// Shares of topics in a newspaper: the divergence from last year's shares is to be small.
#include "report.h"

using namespace tapescope;

Tensor divergence(const Tensor& now, const Tensor& before, bool fixed) {
  if (fixed) return reduce_sum(xlogy(now, now) - now * log(before));
  const Tensor ratio = now / before;
  return reduce_sum(now * log(ratio));  //!
}

int main(int argc, char**) {
  const Tensor before = constant({0.25, 0.35, 0.2, 0.2}).named("before");
  const Variable strength(constant({1.0, 2.0, 0.0, 0.5}), {.name = "strength"});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor shares = strength / reduce_sum(strength);  //~
    loss = divergence(shares, before, argc > 1);
  }
  report("strength", tape.gradient(loss, strength));
}
