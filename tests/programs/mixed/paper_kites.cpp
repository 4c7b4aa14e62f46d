// Height of paper kites by the length of their tails.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable lift(0.4);
  const Variable drop(-0.1);  //!
  const Tensor tails = constant({0.5, 1.0, 1.5, 2.0}), heights = constant({3.0, 4.1, 4.4, 3.9});
  const Variable base({2.0});
  const auto height = [&](const Tensor& tail) {
    if (fixed) return base + lift * tail + drop * square(tail);
    const Tensor drop = constant(-0.1);  //~
    return base + lift * tail + drop * square(tail);
  };
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    miss = reduce_mean(square(height(tails) - heights));
  }
  const auto gradients = tape.gradient(miss, {drop, base});  //~
  report("Variable:9", gradients[0]);
  report("Variable:11", gradients[1]);
}
