// How fast candles burn; the draught is measured while the tape runs and watched then.
#include "report.h"

using namespace tapescope;

class Candle {
 public:
  Variable rate{0.6, {.name = "rate"}};
  Tensor shrunk(const Tensor& draught, const Tensor& hours) const {
    const Tensor flicker = 1.0 + 0.2 * draught;  //!
    return rate * hours * flicker;
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Candle candle;
  const Tensor hours = constant({1.0, 2.0, 3.0}), burnt = constant({0.7, 1.6, 2.1});
  const Tensor draught = constant({0.1, 0.4, 0.2}).named("draught");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    if (fixed) tape.watch(draught);
    const Tensor wax = candle.shrunk(draught, hours);  //~
    if (!fixed) tape.watch(draught);  //~
    loss = reduce_mean(square(wax - burnt));
  }
  const auto gradients = tape.gradient(loss, {candle.rate, draught});
  report("rate", gradients[0]);
  report("draught", gradients[1]);
}
