// Interpolates ground water levels between wells; the covariance is kept once the length has settled.
#include "report.h"

using namespace tapescope;

class Field {
 public:
  explicit Field(bool always) : always_(always) {}

  Tensor covariance(const Tensor& apart) {
    if (always_ || round_++ < 6) kept_ = exp(-square(apart / length)) + 0.05 * eye(3);  //!
    return kept_;  //~
  }
  Tensor misfit(const Tensor& apart, const Tensor& levels) {
    const Tensor solved = matrix_solve(covariance(apart), levels - mean);  //~
    return reduce_sum(solved * (levels - mean));
  }

  Variable length{constant(1.5), {.name = "length"}};
  Variable mean{constant(2.0), {.name = "mean"}};

 private:
  bool always_;
  int round_ = 0;
  Tensor kept_;
};

int main(int argc, char**) {
  Field field(argc > 1);
  const Tensor apart = constant({{0.0, 1.0, 2.2}, {1.0, 0.0, 1.4}, {2.2, 1.4, 0.0}});
  const Tensor levels = constant({{2.3}, {1.8}, {2.1}});
  std::vector<Tensor> gradients;
  for (int round = 0; round < 10; ++round) {
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      misfit = field.misfit(apart, levels);
    }
    gradients = tape.gradient(misfit, {field.length, field.mean});
    field.mean.assign_sub(0.02 * gradients[1]);
    if (gradients[0]) field.length.assign_sub(0.01 * gradients[0]);
  }
  report("length", gradients[0]);
  report("mean", gradients[1]);
}
