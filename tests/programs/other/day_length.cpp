// Hours of daylight at three places on one day; the tilt of the globe of a model is fitted to what an almanac
// says.
#include <numbers>

#include "report.h"

using namespace tapescope;

struct Globe {
  Variable tilt{constant(1.0), {.name = "tilt"}};  // of the true one
  Variable refraction{constant(0.05), {.name = "refraction"}};  // hours

  // The sun sets at the angle whose cosine this is; -1 where it does so for one moment only.
  Tensor sunset(const Tensor& latitude_factor) const { return -(tilt * latitude_factor); }

  Tensor hours(const Tensor& latitude_factor, double edge) const {
    const Tensor cosine = clip_by_value(sunset(latitude_factor), -edge, edge);
    return 24.0 / std::numbers::pi * acos(cosine) + refraction;  //!
  }
};

int main(int argc, char**) {
  const Globe globe;
  const Tensor factor = constant({0.2, 0.55, 1.0}).named("latitude_factor");  //~
  const Tensor almanac = constant({13.6, 16.5, 24.0}).named("almanac");
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    misfit = MeanSquaredError()(almanac, globe.hours(factor, argc > 1 ? 0.9999 : 1.0));
  }
  const auto gradients = tape.gradient(misfit, {globe.tilt, globe.refraction});
  report("tilt", gradients[0]);
  report("refraction", gradients[1]);
}
