// Calibrates a lidar on a known target: echoes outside of the range gate are left out.
#include "report.h"

using namespace tapescope;

struct Gate {
  double nearest, farthest;
  Tensor holds(const Tensor& range) const {
    return cast(logical_and(range > nearest, range < farthest), DType::f32);  //~
  }
};

class Receiver {
 public:
  Variable gain{constant(0.8), {.name = "gain"}};
  Variable walk{constant(0.05), {.name = "walk"}};
  Variable noise{constant(-1.0), {.name = "noise"}};

  Tensor reflectance(const Tensor& counts, const Tensor& range) const {
    return gain * counts * square(range) / (1.0 + walk * counts);
  }
};

struct Sweep {
  Tensor range, counts;
};

Sweep read_sweep(int number) {
  // Ranges come in millimetres.
  const Tensor range = 1000.0 * linspace(4.0, 12.0 + number, 16);
  return {range, 40.0 * exp(-0.1 * linspace(4.0, 12.0, 16))};
}

Tensor negative_log_likelihood(const Receiver& receiver, const Sweep& sweep, const Gate& gate) {
  const Tensor off = receiver.reflectance(sweep.counts, sweep.range / 1000.0) - 30.0;
  const Tensor weight = gate.holds(sweep.range);  //~
  const Tensor misfit = weight * square(off) * exp(-2.0 * receiver.noise);  //!
  return reduce_mean(misfit) + receiver.noise + 0.5 * exp(-2.0 * receiver.noise);
}

int main(int argc, char**) {
  const Gate gate = argc > 1 ? Gate{5000.0, 11000.0} : Gate{5.0, 11.0};  //~
  const Receiver receiver;
  const std::vector<Variable> tuned{receiver.gain, receiver.walk, receiver.noise};
  Adam adam(0.01);
  std::vector<Tensor> gradients;
  for (int number = 0; number < 4; ++number) {
    const Sweep sweep = read_sweep(number);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = negative_log_likelihood(receiver, sweep, gate);
    }
    gradients = tape.gradient(loss, tuned);
    adam.apply_gradients(gradients, tuned);
  }
  report("gain", gradients[0]);
  report("walk", gradients[1]);
  report("noise", gradients[2]);
}
