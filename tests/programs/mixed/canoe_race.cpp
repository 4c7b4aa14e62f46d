// Worth of a place in a canoe race by temporal differences: the next place's worth is a number to reach.
#include "report.h"

using namespace tapescope;

class Worth {
 public:
  Dense water{5, {.activation = Activation::tanh, .name = "water", .seed = 7}};
  Dense worth{1, {.name = "worth", .seed = 8}};
  Tensor operator()(const Tensor& places) { return squeeze(worth(water(places)), 1); }
};

int main() {
  Worth online, slow;
  const Tensor places = reshape(sin(linspace(0.0, 11.0, 18)), {6, 3});
  const Tensor next = reshape(sin(linspace(0.6, 11.6, 18)), {6, 3});
  const Tensor reward = constant({0.0, 0.1, 0.0, 0.2, 0.0, 1.0});
  const Tensor over = constant({0.0, 0.0, 0.0, 0.0, 0.0, 1.0});
  (void)online(places), (void)slow(places);
  const std::vector<Variable> variables = {online.water.kernel(), online.worth.kernel()};
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int stroke = 0; stroke < 8; ++stroke) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor target = stop_gradient(reward + 0.9 * (1.0 - over) * slow(next));
      loss = reduce_mean(square(target - online(places)));
    }
    gradients = tape.gradient(loss, {variables[0], variables[1]});
    optimizer.apply_gradients(gradients, variables);
    if (stroke % 4 != 3) continue;
    slow.water.kernel().assign(online.water.kernel());
    slow.worth.kernel().assign(online.worth.kernel());
  }
  report("water/kernel", gradients[0]);
  report("worth/kernel", gradients[1]);
}
