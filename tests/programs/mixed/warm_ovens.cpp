// Heat of bakers' ovens, with a learning rate that starts at zero, climbs and falls again.
#include "report.h"

using namespace tapescope;

double rate_at(int step) {
  constexpr int kWarm = 4, kAll = 12;
  if (step < kWarm) return 0.1 * step / kWarm;
  return 0.05 * (1 + std::cos(3.14159265 * (step - kWarm) / (kAll - kWarm)));
}

class Ovens {
 public:
  Ovens() { net_.build({6, 4}); }
  Tensor heat(const Tensor& settings) { return squeeze(net_(settings), 1); }
  std::vector<Variable> variables() const { return net_.trainable_variables(); }

 private:
  Sequential net_{Dense(5, {.activation = Activation::tanh, .name = "stones", .seed = 4}),
                  Dense(1, {.name = "heat", .seed = 5})};
};

int main() {
  Ovens ovens;
  const Tensor settings = reshape(sin(linspace(0.0, 14.0, 24)), {6, 4});
  const Tensor heat = constant({0.3, 0.6, 0.2, 0.9, 0.5, 0.1});
  const std::vector<Variable> variables = ovens.variables();
  SGD optimizer(0.0);
  std::vector<Tensor> gradients;
  for (int step = 0; step < 12; ++step) {
    optimizer.learning_rate().assign(rate_at(step));
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(ovens.heat(settings) - heat));
    }
    gradients = tape.gradient(loss, variables);
    optimizer.apply_gradients(gradients, variables);
  }
  report("stones/kernel", gradients[0]);
  report("heat/kernel", gradients[2]);
}
