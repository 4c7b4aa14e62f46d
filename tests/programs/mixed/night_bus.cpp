// Learns when night buses are full. Nights without data are masked before anything can become NaN.
#include "report.h"

using namespace tapescope;

class Night {
 public:
  Variable weights{constant({0.3, 0.5}), {.name = "weights"}};
  Variable base{constant(-0.2), {.name = "base"}};

  Tensor full(const Tensor& nights) const { return sigmoid(matvec(nights, weights) + base); }
};

int main() {
  const Night night;
  const Tensor counts = constant({12.0, 0.0, 30.0, 0.0, 21.0}),
               seats = constant({40.0, 0.0, 40.0, 0.0, 35.0});
  const Tensor nights = reshape(sin(linspace(0.0, 5.0, 10)), {5, 2});
  const Function<Tensor(const Tensor&, bool)> loss_of("loss_of", [&](const Tensor& rows, bool training) {
    const Tensor known = greater(seats, 0.0);
    const Tensor share = where(known, counts / where(known, seats, ones({5})), zeros({5}));
    const Tensor miss = square(night.full(rows) - share) * cast(known, DType::f32);
    return reduce_sum(miss) / 3.0 + (training ? 0.01 * reduce_sum(square(night.weights)) : constant(0.0));
  });
  std::vector<Tensor> gradients;
  for (int week = 0; week < 4; ++week) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_of(nights, true);
    }
    gradients = tape.gradient(loss, {night.weights, night.base});
    night.weights.assign_sub(0.5 * gradients[0]);
    night.base.assign_sub(0.5 * gradients[1]);
    std::fprintf(stderr, "week %d: %.4f\n", week, item(loss_of(nights, false)));
  }
  report_traces(loss_of);
  report("weights", gradients[0]);
  report("base", gradients[1]);
}
