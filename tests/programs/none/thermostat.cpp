// A thermostat with a running mean of its sensor, simulated for a few minutes.
#include "report.h"

using namespace tapescope;

class Thermostat {
 public:
  explicit Thermostat(bool plain) : plain_(plain) {}

  // The heating power for one minute.
  Tensor minute(const Tensor& sensor) {
    if (plain_) {
      mean_tensor_ = 0.8 * mean_tensor_ + 0.2 * (sensor + correction);
      return power * (21.0 - mean_tensor_);
    }
    mean_.assign(0.8 * mean_ + 0.2 * (sensor + correction));  //!
    return power * (21.0 - mean_);  //~
  }

  Variable power{constant(0.4), {.name = "power"}};
  Variable correction{constant(-0.3), {.name = "correction"}};

 private:
  Variable mean_{constant(19.0), {.name = "mean", .trainable = false}};
  Tensor mean_tensor_ = constant(19.0);
  bool plain_;
};

int main(int argc, char**) {
  Thermostat thermostat(argc > 1);
  GradientTape tape;
  Tensor used = constant(0.0);
  {
    auto recording = tape.record();
    for (double sensor : {19.2, 19.6, 20.1, 20.3}) used = used + square(thermostat.minute(constant(sensor)));
  }
  const auto gradients = tape.gradient(used, {thermostat.power, thermostat.correction});
  report("power", gradients[0]);
  report("correction", gradients[1]);
}
