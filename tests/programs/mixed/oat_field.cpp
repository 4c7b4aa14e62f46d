// Yield of oats by rain. Training ends when the fields kept aside get worse, and the best weights come back.
#include "report.h"

using namespace tapescope;

struct Fields {
  Tensor rain, yield;
};

class Oats {
 public:
  Variable slope{constant({0.0, 0.0, 0.0}), {.name = "slope"}};
  Variable base{constant(0.0), {.name = "base"}};
  Tensor miss(const Fields& fields) const {
    return reduce_mean(square(matvec(fields.rain, slope) + base - fields.yield));
  }
};

int main() {
  const Oats oats;
  const Tensor rain = reshape(cos(linspace(0.0, 25.0, 30)), {10, 3});
  const Fields trained{rain,
                       reduce_sum(rain * constant({0.5, 0.2, -0.3}), 1) + 0.2 * sin(linspace(0.0, 9.0, 10))};
  const Fields aside{reverse(rain, {0}), reduce_sum(reverse(rain, {0}), 1) * 0.1};
  Adam optimizer(0.1);
  double best = 1e9;
  int worse = 0;
  Tensor best_slope = oats.slope.value(), best_base = oats.base.value();
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 30 && worse < 3; ++epoch) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = oats.miss(trained);
    }
    gradients = tape.gradient(miss, {oats.slope, oats.base});
    optimizer.apply_gradients(gradients, {oats.slope, oats.base});
    const double now = item(oats.miss(aside));
    if (now < best) best = now, worse = 0, best_slope = oats.slope.value(), best_base = oats.base.value();
    else ++worse;
  }
  oats.slope.assign(best_slope);
  oats.base.assign(best_base);
  report("slope", gradients[0]);
  report("base", gradients[1]);
}
