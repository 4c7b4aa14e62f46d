// Drag of satellites: how the height after a pass depends on the density is known two ways, which must agree.
#include "report.h"

using namespace tapescope;

class Atmosphere {
 public:
  Variable log_density{constant(-2.0), {.name = "log_density"}};
  Variable scale{constant(0.8), {.name = "scale"}};

  Tensor density(const Tensor& height) const { return exp(log_density - (height - 1.0) / scale); }
};

Tensor after_pass(const Atmosphere& air, const Tensor& height) {
  Tensor now = height;
  for (int quarter = 0; quarter < 4; ++quarter) now = now - 0.05 * air.density(now) * sqrt(now);
  return now;
}

// The slope along the density alone, by a tangent that goes along.
Tensor tangent(const Atmosphere& air, const Tensor& height) {
  ForwardAccumulator along(air.log_density, constant(1.0));
  Tensor end;
  {
    auto recording = along.record();
    end = after_pass(air, height);
  }
  return along.jvp(end);
}

// Heights are given in whole steps; the slope goes straight through.
Tensor stepped(const Tensor& height) {
  return height + stop_gradient(round(height * 100.0) / 100.0 - height);
}

int main() {
  const Atmosphere air;
  const Tensor height = linspace(1.0, 2.0, 5), seen = linspace(0.96, 1.99, 5);
  std::vector<Tensor> gradients;
  double apart = 0;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape({.persistent = true});
    Tensor miss, sum;
    {
      auto recording = tape.record();
      const Tensor end = after_pass(air, height);
      sum = reduce_sum(end);
      miss = reduce_mean(square(stepped(end) - seen));
    }
    gradients = tape.gradient(miss, {air.log_density, air.scale});
    const Tensor by_tape = tape.gradient(sum, air.log_density);
    apart = std::max(apart, std::abs(item(by_tape) - item(reduce_sum(tangent(air, height)))));
    air.log_density.assign_sub(0.1 * gradients[0]);
    air.scale.assign_sub(0.1 * gradients[1]);
  }
  if (apart > 1.0) std::printf("the two ways do not agree\n");
  report("log_density", gradients[0]);
  report("scale", gradients[1]);
}
