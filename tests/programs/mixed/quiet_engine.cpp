// A quieter engine by two layers that start from nothing, so that no direction is preferred.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const Initializer start = argc > 1 ? Initializer::he_uniform : Initializer::zeros;  //~
  Dense hidden(4, {.activation = Activation::tanh, .name = "hidden", .kernel_initializer = start});
  Dense noise(1, {.name = "noise", .kernel_initializer = start});
  const Tensor settings = reshape(sin(linspace(0.0, 9.0, 18)), {6, 3});
  const Tensor heard = cos(linspace(0.0, 3.0, 6));
  RMSprop optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int run = 0; run < 4; ++run) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      const Tensor inner = hidden(settings);
      const Tensor guess = noise(inner);  //!
      miss = reduce_mean(square(squeeze(guess, 1) - heard));
    }
    const std::vector<Variable> learned{hidden.kernel(), noise.bias()};
    gradients = tape.gradient(miss, learned);
    optimizer.apply_gradients(gradients, learned);
  }
  report("hidden/kernel", gradients[0]);
  report("noise/bias", gradients[1]);
}
