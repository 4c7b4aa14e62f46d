// Calibrates the strain sensors of a bridge against loads that were driven over it.
#include "report.h"

using namespace tapescope;

struct Calibration {
  Variable gain{constant(0.8), {.name = "gain"}};
  Variable drift{constant(0.05), {.name = "drift"}};
  Variable bend{constant(0.01), {.name = "bend"}};

  Tensor load(const Tensor& strain) const { return drift + gain * strain + bend * square(strain); }
};

int main(int argc, char**) {
  constexpr int kCrossings = 120;
  const Tensor strain = linspace(-1.0, 2.0, kCrossings);
  const Tensor weighed = 0.1 + 1.1 * strain + 0.2 * square(strain);
  const Calibration bridge;
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 10; ++pass) {
    GradientTape tape;
    Tensor error;
    {
      auto recording = tape.record();
      if (argc > 1) {
        error = reduce_sum(square(bridge.load(strain) - weighed));
      } else {
        error = constant(0.0);
        for (int i = 0; i < kCrossings; ++i) {  //~
          error = error + square(bridge.load(strain[i]) - weighed[i]);  //!
        }
      }
      error = error / static_cast<double>(kCrossings);
    }
    gradients = tape.gradient(error, {bridge.gain, bridge.drift, bridge.bend});
    bridge.gain.assign_sub(0.1 * gradients[0]);
    bridge.drift.assign_sub(0.1 * gradients[1]);
    bridge.bend.assign_sub(0.1 * gradients[2]);
  }
  report("gain", gradients[0]);
  report("drift", gradients[1]);
  report("bend", gradients[2]);
}
