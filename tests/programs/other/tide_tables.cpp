// Predicts tides; what an hour counts for falls with its age.
#include "report.h"

using namespace tapescope;

struct Tide {
  Variable amplitude{constant({1.2, 0.4, 0.2}), {.name = "amplitude"}};
  Tensor hours = reshape(linspace(0.0, 48.0, 96), {96, 1});
  Tensor speeds = constant({0.506, 0.524, 0.262});

  Tensor height() const { return reduce_sum(amplitude * cos(hours * speeds), 1); }
};

int main(int argc, char**) {
  const Tide tide;
  const Tensor measured = cos(linspace(0.0, 25.0, 96));
  const auto train = [&](const Tensor& age) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(exp(-0.01 * age) * square(tide.height() - measured));
    }
    const Tensor gradient = tape.gradient(loss, tide.amplitude);
    tide.amplitude.assign_sub(0.1 * gradient);
    return gradient;
  };
  const Function step("train", [&](double age) { return train(constant(age)); }, {.arguments = {"age"}});
  const Function step_of_tensor("train", train, {.arguments = {"age"}});
  Tensor gradient;
  for (int day = 0; day < 12; ++day) {
    gradient = argc > 1 ? step_of_tensor(constant(1.0 * day)) : step(1.0 * day);  //!
  }
  report("amplitude", gradient);
  if (argc > 1) report_traces(step_of_tensor);
  else report_traces(step);
}
