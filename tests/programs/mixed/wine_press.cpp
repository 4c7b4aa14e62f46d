// Learns how fast grapes give juice. The pressure follows a plan whose sharpness is learned as well.
#include "report.h"

using namespace tapescope;

struct Plan {
  Variable sharpness{constant(1.6), {.name = "sharpness"}};
  Variable peak{constant(3.0), {.name = "peak"}};

  Tensor at_hours(const Tensor& hours, bool fixed) const {
    if (fixed) return peak * (1.0 - exp(-sharpness * hours));
    const double s = item(sharpness);  //!
    std::vector<Tensor> pressures;
    for (int i = 0; i < 5; ++i) pressures.push_back(peak * (1.0 - std::exp(-s * 0.5 * i)));  //~
    return stack(pressures);
  }
};

class Press {
 public:
  Variable skin{constant(0.35), {.name = "skin"}};

  Tensor juice(const Plan& plan, const Tensor& hours, bool fixed) const {
    return cumsum(sqrt(0.01 + plan.at_hours(hours, fixed)) * skin);
  }
};

int main(int argc, char**) {
  const Plan plan;
  const Press press;
  const Tensor hours = linspace(0.0, 2.0, 5), seen = constant({0.1, 0.5, 1.0, 1.6, 2.2});
  std::vector<Tensor> gradients;
  for (int vat = 0; vat < 3; ++vat) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(abs(press.juice(plan, hours, argc > 1) - seen));
    }
    gradients = tape.gradient(miss, {plan.sharpness, plan.peak, press.skin});
    plan.peak.assign_sub(0.05 * gradients[1]);
    press.skin.assign_sub(0.05 * gradients[2]);
  }
  report("sharpness", gradients[0]);
  report("peak", gradients[1]);
  report("skin", gradients[2]);
}
