// Recovers the size of dust grains from scattered light, in half precision as the telescope's board computes.
#include <cmath>

#include "report.h"

using namespace tapescope;

constexpr int kAngles = 16384;

struct Scan {
  Tensor angle, light;
};

Scan scan() {
  std::vector<double> angle, light;
  for (int i = 0; i < kAngles; ++i) {
    angle.push_back(0.00008 * i);
    light.push_back(0.0121 * std::cos(0.00008 * i));
  }
  return {.angle = constant(std::span<const double>(angle), {kAngles}, DType::f16),
          .light = constant(std::span<const double>(light), {kAngles}, DType::f16)};
}

Tensor misfit(const Variable& grain, const Scan& scan) {
  const Tensor difference = grain * cos(scan.angle) - scan.light;
  return reduce_mean(square(difference));  //!
}

int main(int argc, char**) {
  const double scale = argc > 1 ? 4096 : 1;
  const Scan night = scan();
  const Variable grain(constant(0.0122, DType::f16), {.name = "grain"});
  const Variable size(constant(0.0122), {.name = "size"});
  Tensor gradient;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    Tensor target;
    {
      auto recording = tape.record();
      target = misfit(grain, night) * scale;
    }
    gradient = tape.gradient(target, grain);
    size.assign_sub(0.1 * cast(gradient, DType::f32) / scale);
    grain.assign(cast(size, DType::f16));
  }
  report("grain", gradient);
}
