// Forecasts how much a depot charges: nights of single precision, but what the new meter sends is double.
#include "report.h"

using namespace tapescope;

struct Depot {
  Variable load{constant({0.5, 0.3, 0.2}), {.name = "load"}};
};

Tensor meter(int night) {
  const std::vector<double> read = {10.0 + night, 12.0, 9.0 - 0.5 * night};
  if (night % 2 == 0) return constant(std::span<const double>(read), {3});
  return constant(std::span<const double>(read), {3}, DType::f64);  //~
}

int main(int argc, char**) {
  const Depot depot;
  const Function forecast(
      "forecast", [&](const Tensor& energy) { return reduce_sum(cast(energy, DType::f32) * depot.load); },
      {.arguments = {"energy"}});
  Tensor gradient;
  for (int night = 0; night < 5; ++night) {
    Tensor energy = meter(night);
    if (argc > 1) energy = cast(energy, DType::f32);
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(forecast(energy) - 11.0);  //!
    }
    gradient = tape.gradient(miss, depot.load);
  }
  report("load", gradient);
  report_traces(forecast);
}
