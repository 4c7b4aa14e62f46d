// Soil moisture from three probes, each scaled by its own mean and deviation before training.
#include "report.h"

using namespace tapescope;

struct Probes {
  Tensor values =
      constant({{0.31, 0.5, 12.0}, {0.42, 0.5, 9.0}, {0.28, 0.5, 15.0}, {0.35, 0.5, 11.0}}).named("probes");
  Tensor moisture = constant({{0.2}, {0.3}, {0.15}, {0.25}}).named("moisture");
};

Tensor standardized(const Tensor& values, bool fixed) {
  const Tensor mean = reduce_mean(values, 0, true);
  const Tensor deviation = reduce_std(values, 0, true);
  return (values - mean) / (fixed ? deviation + 1e-6 : deviation);  //!
}

int main(int argc, char**) {
  const Probes probes;
  const Tensor inputs = standardized(probes.values, argc > 1);
  Sequential model(Dense(6, {.activation = Activation::relu, .name = "hidden", .seed = 2}),
                   Dense(1, {.name = "moisture", .seed = 2}));
  model.build({4, 3});
  SGD optimizer(0.05);
  const std::vector<Variable> variables = model.trainable_variables();
  const std::vector<Traced> sources(variables.begin(), variables.end());
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 3; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = MeanSquaredError()(probes.moisture, model(inputs));
    }
    gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, variables);
  }
  report("moisture/kernel", gradients[2]);
  report("moisture/bias", gradients[3]);
}
