// Forecasts orders of a pasta shop, and prints how it is doing while it learns.
#include "report.h"

using namespace tapescope;

class Shop {
 public:
  Sequential model{Dense(32, {.activation = Activation::relu, .name = "hidden", .seed = 1}),
                   Dense(1, {.name = "orders", .seed = 1})};

  Tensor loss(const Tensor& days, const Tensor& orders) { return reduce_mean(square(model(days) - orders)); }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Shop shop;
  const Tensor days = reshape(sin(linspace(0.0, 30.0, 64 * 7)), {64, 7});
  const Tensor orders = reshape(cos(linspace(0.0, 5.0, 64)), {64, 1});
  shop.model.build(days.shape());
  const std::vector<Variable> variables = shop.model.trainable_variables();
  SGD optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 6; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = shop.loss(days, orders);  //~
    }
    gradients = tape.gradient(loss, std::vector<Traced>(variables.begin(), variables.end()));
    const Tensor shown = fixed ? loss : shop.loss(days, orders);  //!
    std::fprintf(stderr, "epoch %d: %.4f\n", epoch, item(shown));
    optimizer.apply_gradients(gradients, variables);
  }
  report("hidden/kernel", gradients[0]);
  report("orders/kernel", gradients[2]);
}
