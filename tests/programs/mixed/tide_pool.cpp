// Mussels and limpets of a tide pool by height and shade. The step is pure: weights go in and come out.
#include "report.h"

using namespace tapescope;

struct Pool {
  Tensor features = reshape(sin(linspace(0.0, 7.0, 18)), {6, 3});
  Tensor counts = reshape(cos(linspace(0.0, 4.0, 12)), {6, 2});
};

struct Weights {
  Tensor kernel = reshape(cos(linspace(0.2, 2.0, 6)), {3, 2}).named("kernel");
  Tensor base = constant({0.1, -0.1}).named("base");
};

Weights stepped(const Weights& old, const std::vector<Tensor>& gradients) {
  return {(old.kernel - 0.1 * gradients[0]).named("kernel"), (old.base - 0.1 * gradients[1]).named("base")};
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Pool pool;
  Weights weights;
  const auto miss = [&](const Tensor& kernel, const Tensor& base) {
    return reduce_mean(square(matmul(pool.features, kernel) + base - pool.counts));
  };
  const Function captured(
      "miss", [&](const Tensor& scale) { return scale * miss(weights.kernel, weights.base); });  //~
  const Function given("miss_of",
                       [&](const Tensor& kernel, const Tensor& base) { return miss(kernel, base); });
  std::vector<Tensor> gradients;
  for (int tide = 0; tide < 5; ++tide) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch({weights.kernel, weights.base});
      loss = fixed ? given(weights.kernel, weights.base) : captured(constant(1.0));  //!
    }
    gradients = tape.gradient(loss, std::vector<Tensor>{weights.kernel, weights.base});
    if (!gradients[0]) break;
    weights = stepped(weights, gradients);  //~
  }
  report("kernel", gradients[0]);
  report("base", gradients[1]);
}
