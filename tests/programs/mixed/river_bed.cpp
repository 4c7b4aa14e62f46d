// Fits a law of flow: the speed grows with a power of the slope, which surveys also measure uphill.
#include "report.h"

using namespace tapescope;

struct Law {
  Variable factor{2.0, {.name = "factor"}}, power{0.6, {.name = "power"}};
  Tensor speed(const Tensor& slope) const { return factor * pow(slope, power); }  //!
};

int main(int argc, char**) {
  const Law law;
  const Tensor slope = constant({0.02, 0.05, -0.01, 0.08}).named("slope");  //~
  const Tensor measured = constant({0.2, 0.33, 0.0, 0.45});
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    misfit = reduce_mean(square(law.speed(argc > 1 ? abs(slope) : slope) - measured));
  }
  const auto gradients = tape.gradient(misfit, {law.factor, law.power});
  report("factor", gradients[0]);
  report("power", gradients[1]);
}
