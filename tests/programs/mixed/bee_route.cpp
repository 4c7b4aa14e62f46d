// Chooses the meadow for a swarm by scores and pays for the flight there.
#include "report.h"

using namespace tapescope;

class Swarm {
 public:
  Variable taste{constant({0.2, 0.7, 0.1}), {.name = "taste"}};
  Variable tiredness{constant(0.4), {.name = "tiredness"}};

  Tensor choice(const Tensor& meadows) const { return argmax(matvec(meadows, taste), 0); }  //!
  Tensor shares(const Tensor& meadows) const { return softmax(matvec(meadows, taste)); }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Swarm swarm;
  const Tensor meadows = reshape(abs(sin(linspace(0.0, 8.0, 12))), {4, 3});
  const Tensor way = constant({1.0, 0.4, 0.8, 1.7});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      const Tensor flight =
          fixed ? reduce_sum(swarm.shares(meadows) * way) : gather(way, swarm.choice(meadows));  //~
      cost = exp(swarm.tiredness) * flight;
    }
    gradients = tape.gradient(cost, {swarm.taste, swarm.tiredness});
    swarm.tiredness.assign_sub(0.1 * gradients[1]);
  }
  report("taste", gradients[0]);
  report("tiredness", gradients[1]);
}
