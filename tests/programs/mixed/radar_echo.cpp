// Radar echoes are cleaned by a function that is traced once; the filter is replaced after a calibration.
#include "report.h"

using namespace tapescope;

class Radar {
 public:
  Radar() : filter_(constant({0.2, 0.6, 0.2}).named("filter")) {}

  Tensor clean(const Tensor& echo) const {
    return at(filter_, 0) * roll(echo, 1, 0) + at(filter_, 1) * echo +
           at(filter_, 2) * roll(echo, -1, 0);  //~
  }
  void calibrate() { filter_ = constant({0.25, 0.5, 0.25}).named("filter"); }  //~
  const Tensor& filter() const { return filter_; }

 private:
  Tensor filter_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Radar radar;
  const Variable gain(constant(1.1), {.name = "gain"});
  const Function noise("noise", [&](const Tensor& echo, const Tensor& filter) {
    const Tensor clean = fixed ? at(filter, 1) * echo + at(filter, 0) * roll(echo, 1, 0) : radar.clean(echo);
    return reduce_mean(square(gain * clean - 0.5));
  });
  const Tensor echo = abs(sin(linspace(0.0, 7.0, 30)));
  std::vector<Tensor> gradients;
  for (int sweep = 0; sweep < 4; ++sweep) {
    if (sweep == 2) radar.calibrate();
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(radar.filter());
      loss = noise(echo, fixed ? radar.filter() : echo);  //!
    }
    gradients = tape.gradient(loss, {radar.filter(), gain});
  }
  report("filter", gradients[0]);
  report("gain", gradients[1]);
}
