// Two experts estimate a taxi's fare; a gate picks the expert for each ride.
#include "report.h"

using namespace tapescope;

class Fares {
 public:
  Variable gate{constant({{0.4, -0.2}, {0.1, 0.3}}), {.name = "gate"}};
  Variable experts{constant({{1.2, 0.4}, {0.7, 0.9}}), {.name = "experts"}};

  Tensor estimate(const Tensor& rides, bool soft) const {
    const Tensor scores = matmul(rides, gate);
    if (soft) return reduce_sum(matmul(softmax(scores), experts) * rides, 1);
    const Tensor best = argmax(scores, 1);  //!
    return reduce_sum(gather(experts, best) * rides, 1);
  }
};

int main(int argc, char**) {
  const Fares fares;
  const Tensor rides = constant({{1.0, 0.2}, {0.3, 1.4}, {0.8, 0.8}}), paid = constant({1.5, 1.4, 1.6});
  Adam optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(fares.estimate(rides, argc > 1) - paid));
    }
    gradients = tape.gradient(loss, {fares.gate, fares.experts});
    fares.experts.assign_sub(0.1 * gradients[1]);
  }
  report("gate", gradients[0]);
  report("experts", gradients[1]);
}
