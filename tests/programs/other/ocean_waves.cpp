// Fits the height of waves from a buoy; a summary of the fit is written at the end of each round.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor signal() {
  std::vector<double> values;
  for (int i = 0; i < 30000; ++i) values.push_back(std::sin(0.02 * i) + 0.3 * std::sin(0.11 * i));
  return constant(std::span<const double>(values), {30000}).named("waves");
}

struct Summary {
  Tensor highest, spread, roughness;
};

Summary summarize(const Tensor& residual) {
  return {.highest = reduce_max(abs(residual)),  //~
          .spread = reduce_std(residual),  //~
          .roughness = reduce_mean(square(sin(residual) * cos(residual)))};  //~
}

int main(int argc, char**) {
  const Tensor waves = signal(), time = linspace(0.0, 600.0, 30000);
  const Variable height(constant(0.7), {.name = "height"}), phase(constant(0.1), {.name = "phase"});
  std::vector<Tensor> gradients;
  Summary summary;
  double recorded = 0;
  for (int round = 0; round < 5; ++round) {
    GradientTape tape;
    Tensor loss, residual;
    {
      auto recording = tape.record();
      residual = height * sin(time + phase) - waves;
      loss = reduce_mean(square(residual));
      if (argc == 1) summary = summarize(residual);  //!
    }
    if (argc > 1) summary = summarize(residual);
    recorded += static_cast<double>(tape.counts().recorded);
    gradients = tape.gradient(loss, {height, phase});
    height.assign_sub(0.1 * gradients[0]);
    phase.assign_sub(0.1 * gradients[1]);
  }
  std::printf("highest %.2f spread %.2f\n", element(summary.highest, 0), element(summary.spread, 0));
  report_cost("recorded", recorded);
  report("height", gradients[0]);
  report("phase", gradients[1]);
}
