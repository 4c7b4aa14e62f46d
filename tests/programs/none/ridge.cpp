// Ridge regression of crop yield on rain and sun, with the penalty as a term of its own.
#include "report.h"

using namespace tapescope;

class Ridge {
 public:
  Tensor misfit(const Tensor& weather, const Tensor& yield) const {
    return reduce_mean(square(matvec(weather, weights) + intercept - yield));
  }
  Tensor penalty() const { return 0.1 * reduce_sum(square(weights)); }

  Variable weights{constant({0.4, -0.1}), {.name = "weights"}};
  Variable intercept{constant(1.0), {.name = "intercept"}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Ridge ridge;
  const Tensor weather = constant({{1.1, 0.4}, {0.6, 0.9}, {0.8, 0.8}, {0.3, 1.2}});
  const Tensor yield = constant({2.0, 1.5, 1.9, 1.1});
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 5; ++epoch) {
    GradientTape tape;
    Tensor misfit, total;
    {
      auto recording = tape.record();
      misfit = ridge.misfit(weather, yield);
      if (fixed) total = misfit + ridge.penalty();
    }
    if (!fixed) total = misfit + ridge.penalty();  //!
    // The plain misfit while the weights are young, the penalized one after that.
    gradients = tape.gradient(epoch < 3 ? misfit : total, {ridge.weights, ridge.intercept});
    if (gradients[0]) ridge.weights.assign_sub(0.05 * gradients[0]);
    if (gradients[1]) ridge.intercept.assign_sub(0.05 * gradients[1]);
  }
  report("weights", gradients[0]);
  report("intercept", gradients[1]);
}
