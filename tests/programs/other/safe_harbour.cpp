// Waves in a harbour: logs and roots only where there is water, and a wall that reflects the rest.
#include "report.h"

using namespace tapescope;

class Harbour {
 public:
  Variable depth{constant({3.0, 2.0, 0.5, -0.4, -1.0}), {.name = "depth"}};
  Variable wall{constant(0.3), {.name = "wall"}};

  // Both branches are safe: what the condition throws away never sees a depth below zero.
  Tensor speed() const {
    const Tensor wet = depth > 0.1;
    const Tensor inside = where(wet, depth, ones_like(depth));
    return where(wet, sqrt(9.81 * inside) + 0.1 * log(inside), wall * depth);
  }
};

class Adjoint {
 public:
  explicit Adjoint(const Harbour& harbour) : harbour_(harbour) {}
  // The gradient, and its norm for the stopping rule, which reads a number a round.
  bool round(const Tensor& measured) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(harbour_.speed() - measured));
    }
    gradients = tape.gradient(loss, {harbour_.depth, harbour_.wall});
    const auto [clipped, norm] = bounded(gradients);
    harbour_.depth.assign_sub(0.02 * clipped[0]);
    harbour_.wall.assign_sub(0.02 * clipped[1]);
    return item(norm) > 1e-3;
  }
  std::vector<Tensor> gradients;

 private:
  static std::pair<std::vector<Tensor>, Tensor> bounded(const std::vector<Tensor>& gradients) {
    const Tensor norm = global_norm(gradients), factor = minimum(1.0, 2.0 / (norm + 1e-9));
    std::vector<Tensor> clipped;
    for (const Tensor& gradient : gradients) clipped.push_back(gradient * factor);
    return {clipped, norm};
  }
  const Harbour& harbour_;
};

int main() {
  const Harbour harbour;
  Adjoint adjoint(harbour);
  const Tensor measured = constant({5.0, 4.0, 2.5, -0.2, -0.1});
  for (int round = 0; round < 10 && adjoint.round(measured); ++round) {
  }
  report("depth", adjoint.gradients[0]);
  report("wall", adjoint.gradients[1]);
}
