// Angle and size of solar panels: the inverter takes at most 4 kW, which is reached at noon alone.
#include "report.h"

using namespace tapescope;

struct Panels {
  Variable angle{constant(0.5), {.name = "angle"}};
  Variable area{constant(9.0), {.name = "area"}};

  Tensor kilowatts(const Tensor& sun, const Tensor& height) const {
    const Tensor hitting = relu(cos(height - angle));
    return clip_by_value(0.2 * area * sun * hitting * 3.0, 0.0, 4.0);
  }
};

int main() {
  const Panels panels;
  const Tensor sun = constant({0.0, 0.2, 0.6, 0.9, 0.7, 0.3, 0.0}).named("sun");
  const Tensor height = constant({-2.0, 0.2, 0.5, 0.8, 0.6, 0.3, -2.1}).named("height");
  std::vector<Tensor> gradients;
  for (int month = 0; month < 6; ++month) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = 0.1 * square(panels.area / 9.0) - reduce_mean(panels.kilowatts(sun, height));
    }
    gradients = tape.gradient(loss, {panels.angle, panels.area});
    panels.angle.assign_sub(0.05 * gradients[0]);
    panels.area.assign_sub(0.05 * gradients[1]);
  }
  report("angle", gradients[0]);
  report("area", gradients[1]);
}
