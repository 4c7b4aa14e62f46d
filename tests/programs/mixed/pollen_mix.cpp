// Shares of pollen in honey follow a Dirichlet law whose strengths depend on what blooms around the hive.
#include "report.h"

using namespace tapescope;

class Bloom {
 public:
  explicit Bloom(double stray) : stray_(stray) {}
  Variable blooming{constant({{0.8, -0.5, 0.3}, {0.2, -0.9, 0.6}}), {.name = "blooming"}};
  Variable wild{constant({0.5, 0.1, 0.4}), {.name = "wild"}};

  Tensor strengths(const Tensor& meadows) const {
    return matmul(meadows, softplus(blooming)) * softplus(wild) + stray_;  //~
  }

 private:
  double stray_;
};

Tensor log_density(const Tensor& shares, const Tensor& strengths) {
  const Tensor normal = lgamma(reduce_sum(strengths, 1)) - reduce_sum(lgamma(strengths), 1);  //!
  return normal + reduce_sum((strengths - 1.0) * log(shares), 1);
}

int main(int argc, char**) {
  const Bloom bloom(argc > 1 ? 0.02 : 0.0);
  const Tensor meadows = constant({{1.0, 0.4}, {0.0, 0.0}, {0.6, 0.6}});
  const Tensor shares = softmax(reshape(sin(linspace(0.0, 5.0, 9)), {3, 3}));
  GradientTape tape;
  Tensor surprise;
  {
    auto recording = tape.record();
    surprise = -reduce_mean(log_density(shares, bloom.strengths(meadows)));
  }
  const auto gradients = tape.gradient(surprise, {{"blooming", bloom.blooming}, {"wild", bloom.wild}});
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
