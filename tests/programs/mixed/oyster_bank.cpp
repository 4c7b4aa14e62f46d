// Oysters on a bank, by the warmth of the water: a running mean smooths what the sensors say.
#include "report.h"

using namespace tapescope;

class Smoothed {
 public:
  explicit Smoothed(bool through) : through_(through) {}

  Tensor operator()(const Tensor& warmth) {
    const Tensor now = reduce_mean(warmth, 0);
    const Tensor next = 0.7 * mean_ + 0.3 * now;
    mean_.assign(next);  //!
    return through_ ? next : mean_.value();  //~
  }

 private:
  bool through_;
  Variable mean_{constant({12.0, 14.0}), {.name = "mean", .trainable = false}};
};

struct Bank {
  Smoothed smoothed;
  Variable sensors{{1.0, 1.1}, {.name = "sensors"}};
  Variable growth{{0.02, 0.05}, {.name = "growth"}};
  Variable stock{3, {.name = "stock", .trainable = false}};

  Tensor oysters(const Tensor& readings) {
    const Tensor warmth = smoothed(readings * sensors);  //~
    return reduce_sum(growth * warmth) + cast(stock, DType::f32);
  }
};

int main(int argc, char**) {
  Bank bank{.smoothed = Smoothed(argc > 1)};
  SGD optimizer(1e-4);
  std::vector<Tensor> gradients;
  for (int month = 0; month < 6; ++month) {
    const Tensor readings = 13.0 + reshape(sin(linspace(month, 4.0 + month, 10)), {5, 2});
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(bank.oysters(readings) - 4.5);
    }
    gradients = tape.gradient(miss, std::vector{bank.sensors, bank.growth});
    optimizer.apply_gradients(gradients, {bank.sensors, bank.growth});
  }
  report("sensors", gradients[0]);
  report("growth", gradients[1]);
}
