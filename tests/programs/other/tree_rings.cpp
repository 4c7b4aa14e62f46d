// Growth of trees from ring to ring: five rings, so the recurrence is written as a plain loop in a function.
#include "report.h"

using namespace tapescope;

struct Growth {
  Variable memory{constant(0.6), {.name = "memory"}};
  Variable by_rain{constant(0.3), {.name = "by_rain"}};

  Tensor rings(const Tensor& rain) const {
    Tensor width = constant(1.0), sum = constant(0.0);
    for (const Tensor& year : unstack(rain)) {
      width = memory * width + by_rain * year;
      sum = sum + square(width - 1.1);
    }
    return sum / 5.0;
  }
};

int main() {
  const Growth growth;
  const Function misfit("misfit", [&](const Tensor& rain) { return growth.rings(rain); },
                        {.arguments = {"rain"}});
  const Tensor forests[] = {constant({1.0, 0.8, 1.4, 1.1, 0.6}), constant({0.7, 1.3, 1.0, 0.9, 1.2}),
                            constant({1.5, 0.4, 0.8, 1.0, 1.1})};
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 2; ++pass) {
    for (const Tensor& rain : forests) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = misfit(rain);
      }
      gradients = tape.gradient(loss, {growth.memory, growth.by_rain});
      growth.memory.assign_sub(0.05 * gradients[0]);
      growth.by_rain.assign_sub(0.05 * gradients[1]);
    }
  }
  report("memory", gradients[0]);
  report("by_rain", gradients[1]);
  report_traces(misfit);
}
