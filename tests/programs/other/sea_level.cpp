// Fits a tide gauge: the anomaly against the station's mean is to vanish on average.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor pressure = constant({1013.0, 1009.0, 1021.0, 1017.0}).named("pressure");
  const Tensor gauge = constant({4.25, 4.5, 4.0, 4.125}).named("gauge");
  const Variable sensitivity(constant(0.0625), {.name = "sensitivity"});

  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    const Tensor level = gauge + sensitivity * (pressure - 1013.0);  //~
    const Tensor anomaly = level - reduce_mean(level);  //!
    misfit = fixed ? reduce_mean(square(anomaly)) : reduce_mean(anomaly);  //~
  }
  report("sensitivity", tape.gradient(misfit, sensitivity));
}
