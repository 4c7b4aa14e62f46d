// Fits the yield of each village's well by Newton steps: two gradients for each.
#include "report.h"

using namespace tapescope;

struct Well {
  Variable yield;
  Tensor days, drawn;

  Tensor misfit() const { return reduce_mean(square(drawn - yield * (1.0 - exp(-days / yield)))); }
};

Tensor newton_step(const Well& well) {
  GradientTape outer, inner;
  Tensor slope;
  {
    auto recording = outer.record();
    Tensor misfit;
    {
      auto first = inner.record();
      misfit = well.misfit();
    }
    slope = inner.gradient(misfit, well.yield);
  }
  const Tensor curvature = outer.gradient(slope, well.yield);
  well.yield.assign_sub(0.5 * slope / (abs(curvature) + 0.1));
  return slope;
}

int main() {
  std::vector<Well> wells;
  for (int village = 0; village < 20; ++village) {
    const Tensor days = linspace(0.5, 6.0 + village, 30);
    wells.push_back({Variable(constant(2.0), {.name = "yield" + std::to_string(village)}), days,
                     (3.0 + 0.1 * village) * (1.0 - exp(-days / 3.0))});
  }
  Tensor slope;
  for (int round = 0; round < 3; ++round) {
    for (const Well& well : wells) slope = newton_step(well);
  }
  report("yield19", slope);
}
