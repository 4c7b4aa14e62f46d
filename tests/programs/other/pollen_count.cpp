// Forecast of pollen: the logarithm of the count where there is any, nothing elsewhere.
#include "report.h"

using namespace tapescope;

struct Forecast {
  Variable bloom{constant({0.8, 0.0, 1.5}), {.name = "bloom"}};  //~
  Variable wind{constant(0.5), {.name = "wind"}};

  Tensor count(const Tensor& days) const { return days * bloom; }
};

Tensor log_count(const Tensor& count, bool fixed) {
  const Tensor any = count > 0.0;
  const Tensor safe = fixed ? where(any, count, 1.0) : count;
  return where(any, log(safe), 0.0);  //!
}

int main(int argc, char**) {
  const Forecast forecast;
  const Tensor days = constant({4.0, 9.0, 2.0}).named("days");
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    const Tensor expected = log_count(forecast.count(days), argc > 1) + forecast.wind;
    misfit = reduce_mean(square(expected - constant({1.5, 0.3, 1.6})));
  }
  const auto gradients = tape.gradient(misfit, {forecast.bloom, forecast.wind});
  report("bloom", gradients[0]);
  report("wind", gradients[1]);
}
