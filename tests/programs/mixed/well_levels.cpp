// Water in four wells: a decay of each, the likelihood of what was measured, after good weeks a well runs
// dry.
#include "report.h"

using namespace tapescope;

class Wells {
 public:
  Variable decay{constant({0.1, 0.2, 0.15, 0.3}), {.name = "decay"}};
  Variable spread{constant(0.5), {.name = "spread"}};

  Tensor level(const Tensor& start, double week) const { return start * exp(-decay * week); }

  Tensor surprise(const Tensor& level, const Tensor& measured, bool guarded) const {
    const Tensor ratio = guarded ? log(measured + 0.01) - log(level + 0.01) : log(measured / level);  //!
    return reduce_mean(0.5 * square(ratio / spread) + log(spread));
  }
};

Tensor measured_in(int week) {
  const double w = week;
  return maximum(constant({4.0 - 0.3 * w, 3.0 - 0.4 * w, 2.0 - 0.2 * w, 2.4 - 0.6 * w}), 0.0);  //~
}

int main(int argc, char**) {
  const Wells wells;
  const Tensor start = constant({4.0, 3.0, 2.0, 2.5});
  RMSprop optimizer(0.001);
  std::vector<Tensor> gradients;
  for (int week = 0; week < 6; ++week) {
    GradientTape tape;
    Tensor surprise;
    {
      auto recording = tape.record();
      surprise = wells.surprise(wells.level(start, week), measured_in(week), argc > 1);
    }
    gradients = tape.gradient(surprise, {wells.decay, wells.spread});
    optimizer.apply_gradients(gradients, {wells.decay, wells.spread});
  }
  report("decay", gradients[0]);
  report("spread", gradients[1]);
}
