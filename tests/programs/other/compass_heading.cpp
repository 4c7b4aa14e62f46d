// Heading of a buoy from the two axes of its magnetometer, to be compared with the heading of the ship beside
// it.
#include "report.h"

using namespace tapescope;

struct Magnetometer {
  Variable bias_x{constant(0.0), {.name = "bias_x"}};
  Variable bias_y{constant(0.0), {.name = "bias_y"}};

  Tensor heading(const Tensor& field, double floor) const {
    const std::vector<Tensor> axes = unstack(field, 1);
    const Tensor north = axes[0] - bias_x + floor, east = axes[1] - bias_y;
    return atan2(east, north);  //!
  }
};

int main(int argc, char**) {
  const Magnetometer sensor;
  const Tensor field = constant({{0.21, 0.05}, {0.0, 0.0}, {0.15, -0.12}}).named("field");  //~
  const Tensor ship = constant({0.2, 0.0, -0.6}).named("ship");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(sensor.heading(field, argc > 1 ? 1e-4 : 0.0) - ship));
  }
  const auto gradients = tape.gradient(loss, {sensor.bias_x, sensor.bias_y});
  report("bias_x", gradients[0]);
  report("bias_y", gradients[1]);
}
