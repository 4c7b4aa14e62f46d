// Coaches an accent: the ear is taken from an older program as it is, and only the judgement is learned.
#include "report.h"

using namespace tapescope;

class Ear {
 public:
  explicit Ear(bool learning) {
    for (int layer = 0; layer < 3; ++layer) {
      weights_.emplace_back(
          reshape(0.4 * sin(linspace(layer, 20.0 + layer, 16 * 16)), {16, 16}),  //!
          VariableOptions{.name = "ear" + std::to_string(layer), .trainable = learning});  //~
    }
  }
  Tensor operator()(Tensor sound) const {
    for (const Variable& weights : weights_) sound = tanh(matmul(sound, weights));  //~
    return sound;
  }

 private:
  std::vector<Variable> weights_;
};

struct Coach {
  Ear ear;
  Dense judge{4, {.activation = Activation::softplus, .name = "judge"}};
  Dense score{1, {.name = "score"}};

  std::vector<Variable> learned() { return {judge.kernel(), judge.bias(), score.kernel()}; }
  Tensor loss(const Tensor& spoken, const Tensor& marks) {
    return reduce_mean(square(squeeze(score(judge(ear(spoken))), 1) - marks));
  }
};

int main(int argc, char**) {
  Coach coach{.ear = Ear(argc == 1)};
  const Tensor spoken = reshape(cos(linspace(0.0, 50.0, 8 * 16)), {8, 16}), marks = linspace(0.0, 1.0, 8);
  coach.judge.build({8, 16});
  coach.score.build({8, 4});
  SGD optimizer(0.05, {.momentum = 0.9, .nesterov = true});
  std::vector<Tensor> gradients;
  for (int lesson = 0; lesson < 5; ++lesson) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = coach.loss(spoken, marks);
    }
    gradients = tape.gradient(loss, coach.learned());  //~
    optimizer.apply_gradients(gradients, coach.learned());
  }
  report("judge/kernel", gradients[0]);
  report("judge/bias", gradients[1]);
  report("score/kernel", gradients[2]);
}
