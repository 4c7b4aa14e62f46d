// Counts stars brighter than a limit, and learns the limit.
#include "report.h"

using namespace tapescope;

Tensor counted(const Tensor& light, const Tensor& limit, bool smooth) {
  if (smooth) return reduce_sum(sigmoid(8.0 * (light - limit)));
  return reduce_sum(cast(light > limit, DType::f32));  //!
}

int main(int argc, char**) {
  const Variable limit(0.5, {.name = "limit"}), dust(0.1, {.name = "dust"});
  const Tensor light = constant({0.2, 0.9, 0.6, 0.4, 0.55});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor cleared = light * (1.0 + dust);
    loss = square(counted(cleared, limit, argc > 1) - 2.0) + square(reduce_mean(cleared) - 0.5);
  }
  const auto gradients = tape.gradient(loss, {limit, dust});
  report("limit", gradients[0]);
  report("dust", gradients[1]);
}
