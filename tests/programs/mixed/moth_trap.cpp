// Kinds of moths by brightness, measured in lux: a table of scores and a cross-entropy.
#include "report.h"

using namespace tapescope;

class Moths {
 public:
  Variable slopes{constant({0.9, -0.4, 0.1}), {.name = "slopes"}};
  Variable levels{constant({0.0, 0.5, -0.5}), {.name = "levels"}};

  Tensor scores(const Tensor& lux) const { return expand_dims(lux, 1) * slopes + levels; }  //~
};

int main(int argc, char**) {
  const Moths moths;
  const Tensor lux = argc > 1 ? linspace(-1.0, 1.0, 6) : linspace(4000.0, 9000.0, 6);  //~
  const Tensor kinds = constant({0, 0, 0, 0, 0, 0});
  std::vector<Tensor> gradients;
  for (int night = 0; night < 5; ++night) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(kinds, moths.scores(lux)));  //!
    }
    gradients = tape.gradient(loss, {moths.slopes, moths.levels});
    moths.slopes.assign_sub(0.1 * gradients[0]);
  }
  report("slopes", gradients[0]);
  report("levels", gradients[1]);
}
