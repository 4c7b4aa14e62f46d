// Turns a mirror after the sun by a root found in a loop; the gradient of the root is written by hand.
#include "report.h"

using namespace tapescope;

// The angle a at which a + 0.3 sin(a) is the elevation. Its derivative is that of the inverse function.
CustomGradient mirror_angle() {
  return custom_gradient("mirror_angle", [](std::span<const Tensor> x) {
    const Tensor elevation = x[0];
    const auto [i, angle] =
        while_loop([](const Tensor& i, const Tensor&) { return i < 12; },
                   [&](const Tensor& i, const Tensor& a) {
                     return std::tuple(i + 1, a - (a + 0.3 * sin(a) - elevation) / (1.0 + 0.3 * cos(a)));
                   },
                   std::tuple(constant(0), stop_gradient(elevation)));
    const Tensor found = angle;
    return WithGradient{.outputs = {found}, .gradient = [found](std::span<const Tensor> dy) {
                          return std::vector<Tensor>{dy[0] / (1.0 + 0.3 * cos(found))};
                        }};
  });
}

class Tracker {
 public:
  Variable latitude{0.82, {.name = "latitude"}};
  Variable axis{0.41, {.name = "axis"}};
  CustomGradient angle = mirror_angle();

  Tensor lost(const Tensor& hours) const {
    const Tensor height = sin(latitude) * sin(axis) + cos(latitude) * cos(axis) * cos(hours);
    const Tensor elevation = asin(clip_by_value(height, -0.99, 0.99));
    const Tensor up = elevation > 0.0;
    return reduce_sum(where(up, square(angle(elevation) - 0.9 * elevation + 0.05), 0.0));
  }
};

int main() {
  const Tracker tracker;
  const Function step("step", [&](const Tensor& hours) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = tracker.lost(hours) + 0.01 * square(tracker.axis);
    }
    return tape.gradient(loss, {tracker.latitude, tracker.axis});
  });
  const Tensor hours = linspace(-2.2, 2.2, 9);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    gradients = step(hours);
    tracker.latitude.assign_sub(0.01 * gradients[0]);
    tracker.axis.assign_sub(0.01 * gradients[1]);
  }
  report("latitude", gradients[0]);
  report("axis", gradients[1]);
  report_traces(step);
}
