// Fits ski jumps and ends once the loss no longer falls.
#include "report.h"

using namespace tapescope;

struct Jump {
  Variable lift{constant({0.4, 0.1}), {.name = "lift"}}, wind{0.2, {.name = "wind"}};
  Tensor length(const Tensor& ramp) const { return relu(matvec(ramp, lift) + wind); }
};

int main() {
  const Jump jump;
  const Tensor ramp = constant({{0.9, 0.2}, {1.1, 0.4}, {0.7, 0.1}}), metres = constant({0.8, 1.0, 0.6});
  Adam optimizer(0.05);
  std::vector<Tensor> gradients;
  double best = 1e9;
  for (int round = 0, patience = 0; round < 30 && patience < 3; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(jump.length(ramp) - metres));
    }
    gradients = tape.gradient(loss, {jump.lift, jump.wind});
    auto [clipped, norm] = clip_by_global_norm(gradients, constant(1.0));
    optimizer.apply_gradients(clipped, {jump.lift, jump.wind});
    const double now = element(loss, 0);
    patience = now < best - 1e-6 ? 0 : patience + 1;
    best = std::min(best, now);
  }
  std::printf("best %.4f\n", best);
  report("lift", gradients[0]);
  report("wind", gradients[1]);
}
