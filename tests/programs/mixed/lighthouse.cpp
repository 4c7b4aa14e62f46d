// Aims a lighthouse: which of its lenses to use is a choice by score, how to turn it a number.
#include "report.h"

using namespace tapescope;

class Lighthouse {
 public:
  Variable scores{constant({0.2, 0.5, 0.4}), {.name = "scores"}};
  Variable turn{constant(0.3), {.name = "turn"}};
  Tensor focal = constant({1.0, 1.4, 2.0});

  Tensor lens(bool soft) const {
    if (soft) return reduce_sum(softmax(scores) * focal);
    return gather(focal, argmax(scores));  //!
  }
  Tensor reach(bool soft) const { return lens(soft) * cos(turn - 0.5) + 0.1 * stop_gradient(lens(soft)); }
};

int main(int argc, char**) {
  const Lighthouse lighthouse;
  Tensor gradient_of_scores, gradient_of_turn;
  for (int night = 0; night < 5; ++night) {
    GradientTape tape;
    Tensor darkness;
    {
      auto recording = tape.record();
      darkness = square(2.0 - lighthouse.reach(argc > 1));
    }
    const auto gradients = tape.gradient(darkness, {lighthouse.scores, lighthouse.turn});
    gradient_of_scores = gradients[0];
    gradient_of_turn = gradients[1];
    lighthouse.turn.assign_sub(0.1 * gradient_of_turn);
  }
  report("scores", gradient_of_scores);
  report("turn", gradient_of_turn);
}
