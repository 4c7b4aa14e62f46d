// Tells old vases from new ones by a critic whose slope between the two is to be one.
#include "report.h"

using namespace tapescope;

class Critic {
 public:
  Variable inner{reshape(sin(linspace(0.0, 5.0, 12)), {3, 4}), {.name = "inner"}};
  Variable outer{zeros({4, 1}), {.name = "outer"}};  //~

  Tensor operator()(const Tensor& vases) const {
    return squeeze(matmul(tanh(matmul(vases, inner)), outer), 1);
  }
};

Tensor slope_penalty(const Critic& critic, const Tensor& old, const Tensor& fresh, double slack) {
  const Tensor between = 0.4 * old + 0.6 * fresh;
  GradientTape tape;
  Tensor verdict;
  {
    auto recording = tape.record();
    tape.watch(between);
    verdict = critic(between);
  }
  const Tensor slopes = tape.gradient(verdict, between);
  const Tensor lengths = sqrt(reduce_sum(square(slopes), 1) + slack);  //!
  return reduce_mean(square(lengths - 1.0));
}

int main(int argc, char**) {
  const Critic critic;
  const Tensor old = reshape(cos(linspace(0.0, 4.0, 12)), {4, 3});
  const Tensor fresh = reshape(cos(linspace(0.5, 5.0, 12)), {4, 3});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor apart = reduce_mean(critic(fresh)) - reduce_mean(critic(old));
    loss = apart + 10.0 * slope_penalty(critic, old, fresh, argc > 1 ? 1e-8 : 0.0);  //~
  }
  const auto gradients = tape.gradient(loss, {critic.inner, critic.outer});
  report("outer", gradients[1]);
}
