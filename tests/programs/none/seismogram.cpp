// Aligns two seismograms by a delay and a gain.
#include <cmath>

#include "report.h"

using namespace tapescope;

class Alignment {
 public:
  explicit Alignment(bool smooth) : smooth_(smooth) {}

  Tensor shifted(const Tensor& trace) const {
    if (smooth_) {
      const Tensor early = roll(trace, 1, 0), late = roll(trace, 2, 0);
      return early * (2.0 - delay) + late * (delay - 1.0);
    }
    return roll(trace, std::lround(item(delay.value())), 0);  //!
  }

  Variable delay{constant(1.4), {.name = "delay"}};
  Variable gain{constant(0.8), {.name = "gain"}};

 private:
  bool smooth_;
};

int main(int argc, char**) {
  const Alignment alignment(argc > 1);
  const Tensor first = constant({0.0, 0.2, 1.0, -0.6, 0.3, 0.0, 0.0, 0.0});
  const Tensor second = constant({0.0, 0.0, 0.1, 0.7, -0.1, -0.2, 0.2, 0.0});
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    apart = reduce_sum(square(alignment.gain * alignment.shifted(first) - second));  //~
  }
  const auto gradients = tape.gradient(apart, {alignment.delay, alignment.gain});
  report("delay", gradients[0]);
  report("gain", gradients[1]);
}
