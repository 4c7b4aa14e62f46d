// Calibrates a spectrometer: the height of the highest peak is to be 1 whatever lamp is lit.
#include <vector>

#include "report.h"

using namespace tapescope;

class Spectrometer {
 public:
  Spectrometer()
      : gain_blue(constant(0.4), {.name = "gain_blue"}),
        gain_green(constant(0.9), {.name = "gain_green"}),
        gain_red(constant(1.3), {.name = "gain_red"}) {}

  Tensor corrected(const Tensor& blue, const Tensor& green, const Tensor& red) const {
    return concat({gain_blue * blue, gain_green * green, gain_red * red}, 0);
  }

  Variable gain_blue, gain_green, gain_red;
};

Tensor height(const Tensor& spectrum, bool fixed) {
  if (fixed) return reduce_logsumexp(spectrum * 4.0) / 4.0;
  return reduce_max(spectrum);  //!
}

int main(int argc, char**) {
  const Spectrometer device;
  const Tensor blue = constant({0.31, 0.42, 0.28}), green = constant({0.55, 0.71, 0.66}),
               red = constant({0.83, 0.95, 0.4});
  Tensor loss;
  GradientTape tape;
  {
    auto recording = tape.record();
    loss = square(height(device.corrected(blue, green, red), argc > 1) - 1.0);
  }
  const auto gradients = tape.gradient(loss, {device.gain_blue, device.gain_green, device.gain_red});
  report("gain_blue", gradients[0]);
  report("gain_green", gradients[1]);
  report("gain_red", gradients[2]);
}
