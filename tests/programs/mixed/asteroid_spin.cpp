// The pole of an asteroid's spin, from how its brightness changes while it turns.
#include "report.h"

using namespace tapescope;

struct LightCurve {
  Tensor phase, magnitude;
};

class Body {
 public:
  Variable axes{constant({1.3, 1.0, 0.8}), {.name = "axes"}};

  // Lit area for a direction of the sun in the body's frame.
  Tensor area(const Tensor& towards) const { return sqrt(reduce_sum(square(towards * axes), 1)); }
};

class PoleFit {
 public:
  explicit PoleFit(bool early) : early_(early) {}

  std::pair<Tensor, Tensor> slopes(const Body& shape, const LightCurve& seen) {
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      if (early_) tape.watch(pole_);
      const Tensor towards = rotated(seen.phase);  //~
      if (!early_) tape.watch(pole_);  //!
      const Tensor brightness = -2.5 * log(shape.area(towards));
      misfit = reduce_mean(square(brightness - seen.magnitude));
    }
    const std::vector<Tensor> found = tape.gradient(misfit, {pole_, shape.axes});
    if (found[0]) pole_ = (pole_ - 0.1 * found[0]).named("pole");
    return {found[0], found[1]};
  }

 private:
  Tensor rotated(const Tensor& phase) const {
    const Tensor longitude = pole_[0] + phase, latitude = pole_[1];  //~
    const Tensor up = sin(latitude) * ones_like(phase);
    return stack({cos(longitude) * cos(latitude), sin(longitude) * cos(latitude), up}, 1);  //~
  }
  bool early_;
  Tensor pole_ = constant({0.4, 0.7}).named("pole");
};

int main(int argc, char**) {
  const Body shape;
  PoleFit fit(argc > 1);
  const Tensor phase = linspace(0.0, 6.0, 18);
  std::pair<Tensor, Tensor> last;
  for (int night = 0; night < 3; ++night) {
    last = fit.slopes(shape, {phase, 0.2 * cos(2.0 * phase + 0.1 * night)});
    shape.axes.assign_sub(0.05 * last.second);
  }
  report("pole", last.first);
  report("axes", last.second);
}
