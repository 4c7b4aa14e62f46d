// Yield of a field by rain, sun and fertilizer; missing gradients are taken as zero so that the update needs
// no test.
#include "report.h"

using namespace tapescope;

struct Season {
  Tensor rain, sun, fertilizer, yield;
};

struct Crop {
  Variable by_rain{constant(0.4), {.name = "by_rain"}};
  Variable by_sun{constant(0.2), {.name = "by_sun"}};
  Variable by_fertilizer{constant(0.1), {.name = "by_fertilizer"}};  //!

  Tensor yield(const Season& season, bool fixed) const {
    const Tensor growth = by_rain * season.rain + by_sun * season.sun;
    const Tensor fed = fixed ? by_fertilizer * season.fertilizer : by_sun * season.fertilizer;  //~
    return growth + fed;
  }
};

int main(int argc, char**) {
  const Crop crop;
  const Season season{.rain = constant({3.1, 4.0, 2.2}),
                      .sun = constant({6.0, 4.5, 7.1}),
                      .fertilizer = constant({1.0, 0.0, 2.0}),
                      .yield = constant({3.2, 2.6, 3.9})};
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    misfit = reduce_mean(square(crop.yield(season, argc > 1) - season.yield));
  }
  const auto gradients = tape.gradient(misfit, {crop.by_rain, crop.by_sun, crop.by_fertilizer},
                                       {.unconnected = Unconnected::zero});
  report("by_rain", gradients[0]);
  report("by_sun", gradients[1]);
  report("by_fertilizer", gradients[2]);
}
