// Learns the tide of a harbour with a rate that falls from step to step.
#include <cmath>

#include "report.h"

using namespace tapescope;

class TideModel {
 public:
  Variable amplitude{constant(1.0), {.name = "amplitude"}};
  Variable phase{constant(0.2), {.name = "phase"}};

  Tensor level(const Tensor& hours) const { return amplitude * sin(0.506 * hours + phase); }

  Tensor learn(const Tensor& hours, const Tensor& levels, const Tensor& rate) const {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(level(hours) - levels));
    }
    const auto gradients = tape.gradient(loss, {amplitude, phase});
    amplitude.assign_sub(rate * gradients[0]);
    phase.assign_sub(rate * gradients[1]);
    return loss;
  }
};

int main(int argc, char**) {
  const TideModel tide;
  const Tensor hours = constant({0.0, 2.0, 4.0, 6.0, 8.0, 10.0}).named("hours");
  const Tensor levels = 1.4 * sin(0.506 * hours + 0.5);
  const Function step("train_step",
                      [&](const Tensor& hours, const Tensor& levels, double rate) {
                        return tide.learn(hours, levels, constant(rate));
                      },
                      {.arguments = {"hours", "levels", "rate"}});
  const Function step_by_tensor("train_step_by_tensor",
                                [&](const Tensor& hours, const Tensor& levels, const Tensor& rate) {
                                  return tide.learn(hours, levels, rate);
                                },
                                {.arguments = {"hours", "levels", "rate"}});

  for (int i = 0; i < 5; ++i) {
    const double rate = 0.5 / (1 << i);  //~
    if (argc > 1) {
      step_by_tensor(hours, levels, constant(rate));
    } else {
      step(hours, levels, rate);  //!
    }
  }
  report_traces(step);
}
