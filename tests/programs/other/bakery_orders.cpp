// Predicts orders of a bakery in batches of eight days; the last batch of a pass is smaller.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor table(int days, int columns, double step) {
  std::vector<double> values;
  for (int i = 0; i < days * columns; ++i) values.push_back(0.5 + 0.5 * std::sin(step * i));
  return constant(std::span<const double>(values), {days, columns});
}

int main() {
  const Variable weights(zeros({4, 1}), {.name = "weights"}), base(zeros({1}), {.name = "base"});
  const Function loss_of("loss_of",
                         [&](const Tensor& days, const Tensor& orders) {
                           return reduce_mean(square(matmul(days, weights) + base - orders));
                         },
                         {.arguments = {"days", "orders"}});

  const Dataset days = Dataset::from_tensor_slices({table(28, 4, 0.7), table(28, 1, 0.3)}).batch(8);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 3; ++pass) {
    DatasetIterator batches(days);
    DatasetElement batch;
    while (batches.next(batch)) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = loss_of(batch[0], batch[1]);
      }
      gradients = tape.gradient(loss, {weights, base});
      weights.assign_sub(0.1 * gradients[0]);
      base.assign_sub(0.1 * gradients[1]);
    }
  }
  report("weights", gradients[0]);
  report("base", gradients[1]);
  report_traces(loss_of);
}
