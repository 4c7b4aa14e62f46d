// Compares infrared spectra after a baseline was removed and each was brought to unit height.
#include "report.h"

using namespace tapescope;

struct Instrument {
  Variable slope{constant(0.02), {.name = "slope"}};
  Variable sensitivity{constant(1.3), {.name = "sensitivity"}};

  Tensor baseline(const Tensor& wavenumber) const { return slope * wavenumber; }
};

Tensor unit_height(const Tensor& spectrum, bool with_ops) {
  if (with_ops) return spectrum / reduce_max(spectrum);
  std::vector<double> heights = host_values(spectrum);  //!
  double highest = heights[0];
  for (double height : heights) highest = std::max(highest, height);
  for (double& height : heights) height /= highest;
  return constant(heights, spectrum.shape());  //~
}

int main(int argc, char**) {
  const Instrument instrument;
  const Tensor wavenumber = linspace(4, 9, 6);
  const Tensor measured = constant({0.3, 0.5, 1.4, 0.8, 0.45, 0.4}),
               library = constant({0.1, 0.3, 1.0, 0.5, 0.2, 0.1});
  std::vector<Tensor> gradients;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    Tensor mismatch;
    {
      auto recording = tape.record();
      const Tensor peaks = relu(measured - instrument.baseline(wavenumber));
      const Tensor shape = unit_height(peaks, argc > 1);
      mismatch = reduce_sum(square(pow(shape, 1.0 * instrument.sensitivity) - library));
    }
    gradients = tape.gradient(mismatch, {instrument.slope, instrument.sensitivity});
    instrument.sensitivity.assign_sub(0.1 * gradients[1]);
  }
  report("slope", gradients[0]);
  report("sensitivity", gradients[1]);
}
