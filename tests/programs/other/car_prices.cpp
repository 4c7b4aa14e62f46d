// Prices used cars from mileage and power by a small network.
#include "report.h"

using namespace tapescope;

struct Cars {
  Tensor features = constant({{84000.0, 110}, {132000, 75}, {41000, 150}, {205000, 90}}).named("cars");  //~
  Tensor price = constant({{11.5}, {6.2}, {21.0}, {3.4}}).named("price");
};

int main(int argc, char**) {
  const Cars cars;
  const Tensor inputs =
      argc > 1 ? (cars.features - constant({115000.0, 106})) / constant({60000.0, 28}) : cars.features;
  Sequential model(Dense(8, {.activation = Activation::tanh, .name = "hidden", .seed = 4}),
                   Dense(1, {.name = "price", .seed = 4}));
  model.build({4, 2});
  MeanSquaredError loss_fn;
  Adam optimizer(0.01);
  const std::vector<Variable> variables = model.trainable_variables();
  const std::vector<Traced> sources(variables.begin(), variables.end());

  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 8; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor predicted = model(inputs);  //!
      loss = loss_fn(cars.price, predicted);
    }
    gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, variables);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) report(variables[i].name(), gradients[i]);
}
