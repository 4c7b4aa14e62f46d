// Chooses for each silo the grain with the best score and adds up what the choice costs.
#include "report.h"

using namespace tapescope;

class Silos {
 public:
  Variable scores{reshape(cos(linspace(0.0, 8.0, 12)), {4, 3}), {.name = "scores"}};
  Variable prices{constant({2.0, 3.5, 1.2}), {.name = "prices"}};

  Tensor cost(bool soft) const {
    if (soft) return reduce_sum(matvec(softmax(scores), prices));
    const Tensor choice = argmax(scores, 1);  //!
    return reduce_sum(gather(prices, choice));  //~
  }
};

Tensor penalty(const Tensor& prices) { return 0.01 * reduce_sum(square(prices)); }

int main(int argc, char**) {
  const Silos silos;
  std::vector<Tensor> gradients;
  for (int harvest = 0; harvest < 4; ++harvest) {
    GradientTape tape;
    Tensor total;
    {
      auto recording = tape.record();
      total = silos.cost(argc > 1) + penalty(silos.prices);
    }
    gradients = tape.gradient(total, {silos.scores, silos.prices});
    if (gradients[0]) silos.scores.assign_sub(0.1 * gradients[0]);
  }
  report("scores", gradients[0]);
  report("prices", gradients[1]);
}
