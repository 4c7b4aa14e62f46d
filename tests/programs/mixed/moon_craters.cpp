// Counts craters on photographs of the moon. The learning rate is that of a colleague with smaller pictures.
#include "report.h"

using namespace tapescope;

struct Survey {
  Sequential net{Conv2D(3, 3, {.activation = Activation::relu, .name = "edges", .seed = 5}),
                 AveragePooling2D({.size = 2}), Flatten(), Dense(1, {.name = "craters", .seed = 6})};
  Tensor photos = reshape(1.0 + sin(linspace(0.0, 80.0, 4 * 8 * 8)), {4, 8, 8, 1});
  Tensor counts = constant({{9.0}, {4.0}, {7.0}, {12.0}});

  Tensor miss() {
    const Tensor guess = net(photos, true);  //!
    return reduce_mean(square(guess - counts));
  }
};

int main(int argc, char**) {
  Survey survey;
  SGD optimizer(argc > 1 ? 0.001 : 5.0);  //~
  std::map<std::string, Tensor> last;
  for (int orbit = 0; orbit < 5; ++orbit) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = survey.miss();
    }
    const auto variables = survey.net.trainable_variables();
    const auto gradients = tape.gradient(miss, variables);
    optimizer.apply_gradients(gradients, variables);  //~
    for (std::size_t i = 0; i < variables.size(); ++i) last[std::string(variables[i].name())] = gradients[i];
  }
  report("edges/kernel", last.at("edges/kernel"));
  report("craters/bias", last.at("craters/bias"));
}
