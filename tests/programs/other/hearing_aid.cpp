// Amplifies the bands of a hearing aid. Gains are set in decibels by one part and used as factors by the
// other.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor to_log(const Tensor& factor) { return log(factor); }
Tensor from_log(const Tensor& level) { return exp(level); }

class HearingAid {
 public:
  Variable level{fill({64}, 0.1), {.name = "level"}};

  Tensor amplify(const Tensor& sound, bool fixed) const {
    const Tensor factor = 1.0 + square(level);
    const Tensor loud = sound * factor;
    return fixed ? loud : from_log(to_log(loud));  //!
  }
};

Tensor bands(int frames) {
  std::vector<double> values;
  for (int i = 0; i < frames * 64; ++i) values.push_back(1.1 + std::sin(0.03 * i));
  return constant(std::span<const double>(values), {frames, 64});
}

int main(int argc, char**) {
  const HearingAid aid;
  const Tensor sound = bands(1024), wanted = 1.4 * sound;
  Tensor gradient;
  for (int minute = 0; minute < 6; ++minute) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(aid.amplify(sound, argc > 1) - wanted));
    }
    gradient = tape.gradient(loss, aid.level);
    aid.level.assign_sub(0.5 * gradient);
  }
  report("level", gradient);
}
