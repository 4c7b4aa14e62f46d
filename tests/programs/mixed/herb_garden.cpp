// Tells herbs apart: the trunk was learned elsewhere and stays as it is, a new head is trained.
#include "report.h"

using namespace tapescope;

class Herbs {
 public:
  Herbs() {
    trunk_.build({8, 6});
    trunk_.set_trainable(false);
    head_.build({8, 5});
  }
  Tensor scores(const Tensor& leaves) { return head_(trunk_(leaves)); }
  std::vector<Variable> trained() const {
    std::vector<Variable> all = trunk_.trainable_variables();
    for (const Variable& variable : head_.trainable_variables()) all.push_back(variable);
    return all;
  }

 private:
  Sequential trunk_{Dense(7, {.activation = Activation::relu, .name = "leaf", .seed = 1}),
                    Dense(5, {.activation = Activation::tanh, .name = "code", .seed = 2})};
  Dense head_{3, {.name = "herb", .seed = 3}};
};

int main() {
  Herbs herbs;
  const Tensor leaves = reshape(sin(linspace(0.0, 30.0, 48)), {8, 6});
  const Tensor kinds = constant({0, 1, 2, 0, 1, 2, 0, 1});
  Adam optimizer(0.01);
  const std::vector<Variable> variables = herbs.trained();
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 6; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(kinds, herbs.scores(leaves)));
    }
    gradients = tape.gradient(loss, variables);
    optimizer.apply_gradients(gradients, variables);
  }
  report("herb/kernel", gradients[0]);
  report("herb/bias", gradients[1]);
}
