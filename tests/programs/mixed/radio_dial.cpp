// Cleans radio signals with a filter run as a function; the host keeps the number of rounds since the start.
#include "report.h"

using namespace tapescope;

class Filter {
 public:
  Variable taps{constant({0.2, 0.6, 0.2}), {.name = "taps"}};

  Tensor clean(const Tensor& signal) const {
    const Tensor before = roll(signal, 1, 0), after = roll(signal, -1, 0);
    return at(taps, 0) * before + at(taps, 1) * signal + at(taps, 2) * after;
  }
};

int main(int argc, char**) {
  const Filter filter;
  const Function clean("clean",
                       [&](const Tensor& signal, double minute) {
                         const Tensor settled = exp(constant(-1.0) * minute / 10.0);
                         return filter.clean(signal) * (1.0 - settled) + signal * settled;
                       },
                       {.arguments = {"signal", "minute"}});
  const Function clean_any("clean",
                           [&](const Tensor& signal, const Tensor& minute) {
                             const Tensor settled = exp(-minute / 10.0);
                             return filter.clean(signal) * (1.0 - settled) + signal * settled;
                           },
                           {.arguments = {"signal", "minute"}});
  const Tensor signal = sin(linspace(0.0, 12.0, 64));
  Tensor gradient;
  for (int minute = 1; minute <= 4; ++minute) {
    GradientTape tape;
    Tensor noise;
    {
      auto recording = tape.record();
      const Tensor cleaned =
          argc > 1 ? clean_any(signal, constant(1.0 * minute)) : clean(signal, 1.0 * minute);  //!
      noise = reduce_mean(square(cleaned - signal));
    }
    gradient = tape.gradient(noise, filter.taps);
  }
  report("taps", gradient);
  if (argc > 1) report_traces(clean_any);
  else report_traces(clean);
}
