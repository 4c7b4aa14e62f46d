// Tunes the strings of a violin by the beats between neighbours, through the logarithm of their tension.
#include "report.h"

using namespace tapescope;

struct Violin {
  Tensor lengths = constant({0.33, 0.325, 0.32, 0.315});
  Tensor masses = constant({0.0026, 0.0012, 0.0006, 0.0004});

  Tensor pitches(const Tensor& tension) const { return sqrt(tension / masses) / (2.0 * lengths); }
};

Tensor beats(const Tensor& pitches) {
  const auto strings = unstack(pitches);
  Tensor sum = constant(0.0);
  for (std::size_t i = 1; i < strings.size(); ++i) sum = sum + square(strings[i] / strings[i - 1] - 1.5);
  return sum;
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Violin violin;
  Tensor log_tension = log(constant({40.0, 45.0, 52.0, 70.0})).named("log_tension");
  Tensor gradient;
  for (int turn = 0; turn < 5; ++turn) {
    GradientTape tape;
    Tensor sum;
    {
      auto recording = tape.record();
      if (fixed) tape.watch(log_tension);
      const Tensor tension = exp(log_tension);  //!
      if (!fixed) tape.watch(log_tension);  //~
      sum = beats(violin.pitches(tension));
    }
    gradient = tape.gradient(sum, log_tension);
    if (gradient) log_tension = (log_tension - 0.1 * gradient).named("log_tension");
  }
  report("log_tension", gradient);
}
