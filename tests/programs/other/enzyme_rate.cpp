// Rate of an enzyme that saturates: a soft threshold between concentration and rate, fitted to three
// measurements.
#include "report.h"

using namespace tapescope;

Tensor soft_threshold(const Tensor& x, bool fixed) {
  if (fixed) return softplus(x);
  return log(1.0 + exp(x));  //!
}

struct Enzyme {
  Variable affinity{constant(0.9), {.name = "affinity"}};
  Variable onset{constant(3.0), {.name = "onset"}};

  Tensor rate(const Tensor& micromolar, bool fixed) const {
    return soft_threshold(affinity * micromolar - onset, fixed);
  }
};

int main(int argc, char**) {
  const Enzyme enzyme;
  const Tensor micromolar = constant({2.0, 15.0, 120.0}).named("micromolar");
  const Tensor measured = constant({0.3, 9.5, 101.0}).named("measured");
  std::vector<Tensor> gradients;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = MeanAbsoluteError()(measured, enzyme.rate(micromolar, argc > 1));
    }
    gradients = tape.gradient(loss, {enzyme.affinity, enzyme.onset});
    enzyme.affinity.assign_sub(0.001 * gradients[0]);
    enzyme.onset.assign_sub(0.001 * gradients[1]);
  }
  report("affinity", gradients[0]);
  report("onset", gradients[1]);
}
