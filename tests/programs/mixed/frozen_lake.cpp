// Thickness of ice with a base that is frozen on purpose for the first weeks.
#include "report.h"

using namespace tapescope;

struct Ice {
  Variable base{constant({0.5, 0.2, 0.1}), {.name = "base"}};
  Variable top{constant({0.1, 0.1, 0.4}), {.name = "top"}};
  Tensor thickness(const Tensor& days) const { return matvec(days, base) * matvec(days, top); }
};

int main() {
  Ice ice;
  const Tensor days = constant({{1.0, 0.5, 0.2}, {0.2, 0.9, 0.3}}), measured = constant({0.3, 0.2});
  Adam optimizer(0.02);
  optimizer.build(std::vector{ice.base, ice.top});
  std::vector<Tensor> gradients;
  std::vector<Variable> learnt;
  for (int week = 0; week < 6; ++week) {
    learnt = {ice.top};
    if (week >= 3) learnt.push_back(ice.base);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(ice.thickness(days) - measured));
    }
    gradients = tape.gradient(loss, learnt);
    optimizer.apply_gradients(gradients, learnt);
  }
  for (std::size_t i = 0; i < learnt.size(); ++i) report(learnt[i].name(), gradients[i]);
}
