// State of charge of a pack of cells: their inner resistance and capacity from logged currents.
#include "report.h"

using namespace tapescope;

class Pack {
 public:
  Variable log_ohms{constant({-3.2, -3.0, -3.4}), {.name = "log_ohms"}};
  Variable capacity{constant(2.4), {.name = "capacity"}};

  // Voltage of each cell over a log of currents; cell by cell the resistance is the same in one log.
  Tensor voltages(const Tensor& amperes, double seconds) {
    const Tensor charge = 1.0 - cumsum(amperes) * (seconds / 3600.0) / capacity;
    const Tensor open = 3.2 + 0.9 * charge - 0.05 / (charge + 0.1);
    return expand_dims(open, 1) - expand_dims(amperes, 1) * resistance();
  }
  void forget() { ohms_ = Tensor(); }

 private:
  const Tensor& resistance() {
    if (!ohms_) ohms_ = exp(log_ohms);  //!
    return ohms_;  //~
  }
  Tensor ohms_;
};

struct Estimator {
  Pack& pack;
  double rate;

  std::pair<Tensor, Tensor> absorb(const Tensor& amperes, const Tensor& measured) {
    GradientTape tape;
    Tensor error;
    {
      auto recording = tape.record();
      error = reduce_mean(square(pack.voltages(amperes, 30.0) - measured));
    }
    const auto gradients = tape.gradient(error, std::pair(pack.log_ohms, pack.capacity));
    if (gradients.first) pack.log_ohms.assign_sub(rate * gradients.first);
    pack.capacity.assign_sub(rate * gradients.second);
    return gradients;
  }
};

int main(int argc, char**) {
  Pack pack;
  Estimator estimator{pack, 0.5};
  const Tensor measured = broadcast_to(expand_dims(linspace(4.0, 3.7, 20), 1), {20, 3});
  std::pair<Tensor, Tensor> last;
  for (int drive = 0; drive < 4; ++drive) {
    if (argc > 1) pack.forget();
    const Tensor amperes = 2.0 + sin(linspace(0.0, 4.0 + drive, 20));
    last = estimator.absorb(amperes, measured);
  }
  report("log_ohms", last.first);
  report("capacity", last.second);
}
