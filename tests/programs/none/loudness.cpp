// Matches the loudness of two recordings; statistics for the display are not to cost memory on the tape.
#include "report.h"

using namespace tapescope;

struct Mixer {
  Variable gain{constant(0.7), {.name = "gain"}};
  Variable tilt{constant(0.05), {.name = "tilt"}};
};

struct Meter {
  double peak = 0;
  Tensor level;
};

// Peak for the display and level for the match.
Meter measure(const Mixer& mixer, const Tensor& samples) {
  const Tensor shaped = samples * (1.0 + mixer.tilt * linspace(-1, 1, 6));  //!
  return {.peak = item(reduce_max(abs(shaped))), .level = log(reduce_mean(square(shaped)))};
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Mixer mixer;
  const Tensor ours = constant({0.2, -0.4, 0.6, -0.5, 0.3, -0.1});
  GradientTape tape;
  Tensor mismatch;
  {
    auto recording = tape.record();
    Meter meter;
    if (fixed) {
      meter = measure(mixer, ours);
    } else {
      auto pause = tape.stop_recording();  //~
      meter = measure(mixer, ours);  //~
    }
    std::fprintf(stderr, "peak %.2f\n", meter.peak);
    mismatch = square(meter.level + 2.0 * log(mixer.gain) + 1.9);
  }
  const auto gradients = tape.gradient(mismatch, {mixer.gain, mixer.tilt});
  report("gain", gradients[0]);
  report("tilt", gradients[1]);
}
