// Grades eggs as fresh or not from weight, shape and shine.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const Activation last = argc > 1 ? Activation::sigmoid : Activation::softmax;  //~
  Sequential grader(Dense(4, {.activation = Activation::tanh, .name = "look"}),
                    Dense(1, {.activation = last, .name = "fresh"}));  //~
  const Tensor eggs = constant({{0.6, 0.8, 0.1}, {0.5, 0.2, 0.9}, {0.7, 0.4, 0.4}, {0.4, 0.9, 0.8}});
  const Tensor fresh = constant({{1.0}, {0.0}, {1.0}, {0.0}});
  Adam optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 10; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(grader(eggs) - fresh));  //!
    }
    const auto variables = grader.trainable_variables();
    gradients = tape.gradient(loss, variables);
    optimizer.apply_gradients(gradients, variables);
  }
  report("look/kernel", gradients[0]);
  report("fresh/kernel", gradients[2]);
}
