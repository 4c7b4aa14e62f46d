// A Gaussian process for the acidity of soil: prediction and evidence from 96 samples.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor column(int rows, double step) {
  std::vector<double> values;
  for (int i = 0; i < rows; ++i) values.push_back(step * i + 0.2 * std::sin(2.1 * i));
  return constant(std::span<const double>(values), {rows, 1});
}

class SoilProcess {
 public:
  Variable reach{constant(1.5), {.name = "reach"}};
  Variable noise{constant(0.3), {.name = "noise"}};

  Tensor factor(const Tensor& where) const {
    const Tensor apart = square(where - transpose(where));
    const Tensor covariance = exp(-apart / square(reach)) + square(noise) * eye(where.dim(0));
    return cholesky(covariance);
  }
  Tensor fit(const Tensor& lower, const Tensor& acidity) const {
    return reduce_sum(square(triangular_solve(lower, acidity)));
  }
  Tensor volume(const Tensor& lower) const { return 2.0 * reduce_sum(log(matrix_diag_part(lower))); }

  Tensor evidence(const Tensor& where, const Tensor& acidity, bool fixed) const {
    const Tensor lower = factor(where);  //~
    const Tensor misfit = fit(lower, acidity);
    const Tensor spread = volume(fixed ? lower : factor(where));  //!
    return 0.5 * (misfit + spread);
  }
};

int main(int argc, char**) {
  const SoilProcess process;
  const Tensor where = column(96, 0.5), acidity = sin(column(96, 0.15));
  std::vector<Tensor> gradients;
  for (int round = 0; round < 4; ++round) {
    GradientTape tape;
    Tensor evidence;
    {
      auto recording = tape.record();
      evidence = process.evidence(where, acidity, argc > 1);
    }
    gradients = tape.gradient(evidence, {process.reach, process.noise});
    process.reach.assign_sub(1e-4 * gradients[0]);
    process.noise.assign_sub(1e-4 * gradients[1]);
  }
  report("reach", gradients[0]);
  report("noise", gradients[1]);
}
