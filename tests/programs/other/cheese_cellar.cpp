// Ripens cheese in a model of a cellar: trained on some weeks, tested on others after each pass.
#include "report.h"

using namespace tapescope;

struct Weeks {
  Tensor air, ripe;
};

Weeks weeks(int count, double phase) {
  const Tensor air = reshape(sin(linspace(phase, phase + 30.0, count * 12)), {count, 12});
  return {air, sigmoid(reduce_sum(air, 1, true))};
}

class Cellar {
 public:
  Dense shelf{40, {.activation = Activation::tanh, .name = "shelf", .seed = 2}};
  Dense rind{1, {.name = "rind", .seed = 3}};

  Tensor error(const Weeks& weeks) {
    return reduce_mean(square(sigmoid(rind(shelf(weeks.air))) - weeks.ripe));
  }
};

int main() {
  Cellar cellar;
  const Weeks training = weeks(80, 0.0), test = weeks(40, 5.0);
  item(cellar.error(test));
  std::vector<Variable> variables = cellar.shelf.trainable_variables();
  for (const Variable& variable : cellar.rind.trainable_variables()) variables.push_back(variable);
  const std::vector<Traced> sources(variables.begin(), variables.end());
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 6; ++pass) {
    GradientTape tape;
    Tensor error;
    {
      auto recording = tape.record();
      error = cellar.error(training);
    }
    gradients = tape.gradient(error, sources);
    optimizer.apply_gradients(gradients, variables);
    std::printf("pass %d: %.4f, test %.4f\n", pass, item(error), item(cellar.error(test)));
  }
  report("shelf/kernel", gradients[0]);
  report("rind/kernel", gradients[2]);
}
