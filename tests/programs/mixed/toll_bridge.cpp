// Tolls of a bridge by the hour, in steps of the signs above the lanes, which show none to six.
#include "report.h"

using namespace tapescope;

struct Lanes {
  Dense demand{3, {.name = "demand"}};
  Variable scale;
  Tensor traffic = reshape(0.2 + 0.1 * square(sin(linspace(0.0, 9.0, 20))), {5, 4});

  Tensor tolls() {
    const Tensor pressure = softplus(demand(traffic));
    return relu6(pressure * scale);  //!
  }
  Tensor regret() {
    const Tensor tolls_now = tolls();
    return reduce_mean(square(tolls_now - 4.0)) + 0.5 * reduce_mean(tolls_now);
  }
};

int main(int argc, char**) {
  Lanes lanes{.scale = Variable(argc > 1 ? 1.0 : 400.0, {.name = "scale"})};  //~
  Adam optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 3; ++hour) {
    GradientTape tape;
    Tensor regret;
    {
      auto recording = tape.record();
      regret = lanes.regret();
    }
    const std::vector<Variable> learned{lanes.demand.kernel(), lanes.scale};
    gradients = tape.gradient(regret, learned);
    optimizer.apply_gradients(gradients, learned);
  }
  report("demand/kernel", gradients[0]);
  report("scale", gradients[1]);
}
