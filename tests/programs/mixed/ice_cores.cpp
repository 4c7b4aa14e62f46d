// Ages of ice by a deep core: sequences of different length, padded, masked, scanned by a small recurrent
// net.
#include "report.h"

using namespace tapescope;

class Ages {
 public:
  Variable inward{reshape(sin(linspace(0.0, 3.0, 8)), {2, 4}), {.name = "inward"}};
  Variable again{reshape(cos(linspace(0.0, 5.0, 16)), {4, 4}) * 0.3, {.name = "again"}};
  Variable age{constant({{0.5}, {-0.2}, {0.3}, {0.1}}), {.name = "age"}};

  Tensor of(const Tensor& layers, const Tensor& lengths) const {
    Tensor state = zeros({layers.dim(0), 4});
    for (int depth = 0; depth < layers.dim(1); ++depth) {
      const Tensor next =
          tanh(matmul(squeeze(slice(layers, {0, depth, 0}, {-1, 1, -1}), 1), inward) + matmul(state, again));
      state = where(expand_dims(lengths > depth, 1), next, state);
    }
    return squeeze(matmul(state, age), 1);
  }
};

int main() {
  const Ages ages;
  const Tensor layers = reshape(sin(linspace(0.0, 20.0, 3 * 5 * 2)), {3, 5, 2});
  const Tensor lengths = constant({5, 3, 1});
  const Tensor dated = constant({0.9, 0.4, 0.1});
  std::vector<Tensor> gradients;
  for (int round = 0; round < 6; ++round) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(ages.of(layers, lengths) - dated));
    }
    gradients = tape.gradient(miss, {ages.inward, ages.again, ages.age});
    const auto [clipped, size] = clip_by_global_norm(gradients, 1.0);
    ages.inward.assign_sub(0.1 * clipped[0]);
    ages.again.assign_sub(0.1 * clipped[1]);
    ages.age.assign_sub(0.1 * clipped[2]);
  }
  report("inward", gradients[0]);
  report("again", gradients[1]);
  report("age", gradients[2]);
}
