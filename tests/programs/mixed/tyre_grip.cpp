// Side force of a tyre over its slip angle, fitted to runs on a test bench.
#include "report.h"

using namespace tapescope;

// peak sin(shape atan(stiffness slip)), with the slopes that the bench's software has.
class MagicFormula {
 public:
  MagicFormula(double shape, bool complete) : shape_(shape), law_(make(shape, complete)) {}
  Tensor operator()(const Tensor& slip, const Variable& stiffness, const Variable& peak) const {
    return law_(slip, stiffness, peak);  //~
  }

 private:
  static CustomGradient make(double shape, bool complete) {
    return custom_gradient("magic_formula", [=](std::span<const Tensor> x) {
      const Tensor slip = x[0], stiffness = x[1], peak = x[2];
      const Tensor turned = stiffness * slip, angle = shape * atan(turned);
      auto slopes = [=](std::span<const Tensor> dy) {
        const Tensor inner = dy[0] * peak * cos(angle) * shape / (1.0 + square(turned));
        const Tensor by_peak = reduce_sum(dy[0] * sin(angle));
        if (complete) return std::vector<Tensor>{inner * stiffness, reduce_sum(inner * slip), by_peak};
        return std::vector<Tensor>{inner * stiffness, Tensor(), by_peak};  //!
      };
      return WithGradient{.outputs = {peak * sin(angle)}, .gradient = slopes};
    });
  }
  double shape_;
  CustomGradient law_;
};

struct Tyre {
  Variable stiffness{constant(9.0), {.name = "stiffness"}};
  Variable peak{constant(3.1), {.name = "peak"}};
  Variable camber{constant(0.02), {.name = "camber"}};
};

int main(int argc, char**) {
  const Tyre tyre;
  const MagicFormula formula(1.4, argc > 1);
  const Tensor slip = linspace(-0.2, 0.2, 11);
  const Tensor bench = 3.4 * tanh(8.0 * slip) + 0.1;
  SGD optimizer(0.02, {.momentum = 0.5});
  const std::vector<Variable> fitted{tyre.stiffness, tyre.peak, tyre.camber};
  std::vector<Tensor> gradients;
  for (int run = 0; run < 4; ++run) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor force = formula(slip + tyre.camber, tyre.stiffness, tyre.peak);  //~
      const Tensor trusted = stop_gradient(1.0 / (1.0 + abs(force)));
      loss = reduce_mean(trusted * square(force - bench));
    }
    gradients = tape.gradient(loss, fitted);
    optimizer.apply_gradients(gradients, fitted);
  }
  report("stiffness", gradients[0]);
  report("peak", gradients[1]);
  report("camber", gradients[2]);
}
