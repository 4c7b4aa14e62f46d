// Whether pine cones open, by the moisture of the air.
#include "report.h"

using namespace tapescope;

class Cones {
 public:
  Variable weight{constant({4.0, -3.0}), {.name = "weight"}};
  Variable bias{constant(0.5), {.name = "bias"}};
  Tensor score(const Tensor& air) const { return matvec(air, weight) + bias; }
};

Tensor loss_of(const Tensor& score, const Tensor& open) {
  const Tensor chance = sigmoid(score);  //~
  return -reduce_mean(open * log(chance) + (1.0 - open) * log(1.0 - chance));  //!
}

int main(int argc, char**) {
  const Cones cones;
  const Tensor air = constant({{0.2, 0.9}, {12.0, 0.1}, {0.5, 0.5}}), open = constant({0.0, 0.0, 1.0});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor score = cones.score(air);
      loss = argc > 1 ? reduce_mean(sigmoid_cross_entropy_with_logits(open, score)) : loss_of(score, open);
    }
    gradients = tape.gradient(loss, {cones.weight, cones.bias});
    cones.bias.assign_sub(0.1 * gradients[1]);
  }
  report("weight", gradients[0]);
  report("bias", gradients[1]);
}
