// Fine-tunes a small model on two samples; asks for the gradients of whatever it has to train.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Sequential model(Dense(3, {.activation = Activation::relu, .name = "features"}),
                   Dense(1, {.name = "quality"}));
  const Tensor wine = constant({{7.4, 0.7}, {6.8, 0.3}}) / 10.0, grade = constant({{0.5}, {0.7}});
  if (fixed) model.build(wine.shape());
  const std::vector<Variable> variables = model.trainable_variables();  //~

  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = MeanSquaredError()(grade, model(wine, true));
  }
  const auto gradients = tape.gradient(loss, std::vector<Traced>(variables.begin(), variables.end()));  //!
  for (std::size_t i = 0; i < gradients.size(); ++i) report(variables[i].name(), gradients[i]);
}
