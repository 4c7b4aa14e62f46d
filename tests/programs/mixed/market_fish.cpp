// Prices of fish by freshness; the freshness of each catch is sorted before the best ones are averaged.
#include "report.h"

#include <algorithm>

using namespace tapescope;

class Market {
 public:
  Variable decay{constant(0.7), {.name = "decay"}};
  Variable price{constant(2.0), {.name = "price"}};

  Tensor freshness(const Tensor& hours) const { return exp(-decay * hours); }
};

Tensor best(const Tensor& freshness, bool with_ops) {
  if (with_ops) return slice(sort(freshness, -1, true), {0}, {3});
  std::vector<double> values = host_values(freshness);  //!
  std::sort(values.rbegin(), values.rend());
  values.resize(3);
  return constant(std::span<const double>(values), {3});  //~
}

int main(int argc, char**) {
  const Market market;
  const Tensor hours = constant({1.5, 0.2, 2.8, 0.9, 1.1});
  std::vector<Tensor> gradients;
  for (int morning = 0; morning < 3; ++morning) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(reduce_mean(best(market.freshness(hours), argc > 1)) * market.price - 1.4);
    }
    gradients = tape.gradient(loss, {market.decay, market.price});
    market.price.assign_sub(0.1 * gradients[1]);
  }
  report("decay", gradients[0]);
  report("price", gradients[1]);
}
