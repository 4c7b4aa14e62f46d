// Fits a comet's eccentricity and perihelion to distances from the sun; logs the slope on the way.
#include "report.h"

using namespace tapescope;

class Comet {
 public:
  Tensor distance(const Tensor& anomaly) const {
    return perihelion * (1.0 + eccentricity) / (1.0 + eccentricity * cos(anomaly));
  }
  Tensor prior() const { return 4.0 * square(eccentricity - 0.9); }

  Variable eccentricity{constant(0.8), {.name = "eccentricity"}};
  Variable perihelion{constant(0.6), {.name = "perihelion"}};
};

void log_slope(GradientTape& tape, const Tensor& misfit, const Comet& comet) {
  const Tensor slope = tape.gradient(misfit, comet.perihelion);  //~
  std::fprintf(stderr, "misfit %.4f, slope %.4f\n", item(misfit), item(slope));
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Comet comet;
  const Tensor anomaly = constant({0.1, 0.8, 1.6, 2.4}), seen = constant({0.59, 0.66, 1.05, 2.9});
  GradientTape tape({.persistent = fixed});
  Tensor misfit, total;
  {
    auto recording = tape.record();
    misfit = reduce_mean(square(log(comet.distance(anomaly)) - log(seen)));
    if (!fixed) log_slope(tape, misfit, comet);  //~
    total = misfit + comet.prior();  //!
  }
  if (fixed) log_slope(tape, misfit, comet);
  Tensor slope;
  try {
    slope = tape.gradient(total, comet.eccentricity);  //~
  } catch (const Error& error) {
    report_error(error);
  }
  report("eccentricity", slope);
}
