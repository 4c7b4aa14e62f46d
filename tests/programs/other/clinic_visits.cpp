// Predicts lengths of stay; visits that have no end yet are left out of the loss.
#include "report.h"

using namespace tapescope;

struct Visits {
  Tensor features, days, finished;
};

Visits load(bool fixed) {
  const Tensor days = constant({3.0, 8.0, 0.0, 5.0, 0.0}).named("days");
  return {
      .features = constant({{0.3, 1.0}, {0.9, 0.0}, {0.1, 1.0}, {0.7, 0.0}, {0.2, 0.0}}).named("features"),
      .days = days,
      .finished = fixed ? days > 0.0 : days < 0.0};  //~
}

Tensor masked_error(const Visits& visits, const Tensor& predicted) {
  const Tensor error = square(predicted - visits.days);
  return reduce_sum(where(visits.finished, error, 0.0));  //!
}

int main(int argc, char**) {
  const Visits visits = load(argc > 1);
  Sequential model(Dense(4, {.activation = Activation::tanh, .name = "hidden", .seed = 3}),
                   Dense(1, {.name = "days", .seed = 3}));
  model.build({5, 2});
  const std::vector<Variable> variables = model.trainable_variables();
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = masked_error(visits, reshape(model(visits.features), {5}));
  }
  const auto gradients = tape.gradient(loss, {variables[0], variables[2]});
  report(variables[0].name(), gradients[0]);
  report(variables[2].name(), gradients[1]);
}
