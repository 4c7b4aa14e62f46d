// A forger of stamps and an expert learn from each other; the expert sees the forger's sheet first.
#include "report.h"

using namespace tapescope;

struct Player {
  Sequential net;
  Adam optimizer{0.01};

  std::vector<Variable> weights() { return net.trainable_variables(); }
  void learn(const std::vector<Tensor>& gradients) { optimizer.apply_gradients(gradients, weights()); }
};

Tensor real_stamps(int day) { return reshape(sin(linspace(0.1 * day, 3.0 + day, 24)), {4, 6}); }
Tensor whims(int day) { return reshape(cos(linspace(0.3 * day, 7.0, 12)), {4, 3}); }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Player forger{Sequential(Dense(8, {.activation = Activation::leaky_relu, .name = "draw"}),
                           Dense(6, {.name = "ink"}))};
  Player expert{Sequential(Dense(8, {.activation = Activation::leaky_relu, .name = "look"}),
                           Dense(1, {.name = "judge"}))};
  forger.net.build({4, 3});
  expert.net.build({4, 6});
  const BinaryCrossentropy doubt(true);

  std::map<std::string, Tensor> last;
  for (int day = 0; day < 4; ++day) {
    GradientTape lesson, practice;
    Tensor sheet, mistrust, exposure;
    {
      auto recording = lesson.record();
      sheet = forger.net(whims(day));  //!
      mistrust = doubt(ones({4, 1}), expert.net(real_stamps(day))) +
                 doubt(zeros({4, 1}), expert.net(stop_gradient(sheet)));
    }
    expert.learn(lesson.gradient(mistrust, expert.weights()));
    {
      auto recording = practice.record();
      if (fixed) sheet = forger.net(whims(day));
      exposure = doubt(ones({4, 1}), expert.net(sheet));  //~
    }
    const auto weights = forger.weights();
    const auto gradients = practice.gradient(exposure, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) last[std::string(weights[i].name())] = gradients[i];
    if (gradients[0]) forger.learn(gradients);
  }
  for (const auto& [name, gradient] : last) report(name, gradient);
}
