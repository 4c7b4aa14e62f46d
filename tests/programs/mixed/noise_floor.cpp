// Subtracts the noise floor, the median of a spectrum, before peaks are weighed.
#include <algorithm>

#include "report.h"

using namespace tapescope;

Tensor median(const Tensor& spectrum) {
  std::vector<double> levels = elements(spectrum);  //!
  std::sort(levels.begin(), levels.end());
  return constant(levels[levels.size() / 2]);  //~
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable hiss(0.2, {.name = "hiss"}), gain(1.5, {.name = "gain"});
  const Tensor signal = constant({0.1, 0.9, 0.2, 0.15, 0.7}), wanted = constant({0.0, 1.0, 0.0, 0.0, 0.8});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor hissing = signal * 0.3 + hiss;
    const Tensor floor = fixed ? reduce_mean(hissing) : median(hissing);  //~
    loss = reduce_mean(square(gain * signal - floor - wanted));
  }
  const auto gradients = tape.gradient(loss, {hiss, gain});
  report("hiss", gradients[0]);
  report("gain", gradients[1]);
}
