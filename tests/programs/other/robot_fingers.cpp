// How the fingertips of a robot hand move with its twelve motors: one row of slopes for each coordinate.
#include "report.h"

using namespace tapescope;

struct Hand {
  Variable motors{linspace(-0.4, 0.7, 12), {.name = "motors"}};
  Tensor links = stateless_random_normal({12, 24}, {13, 1}).named("links");

  Tensor fingertips() const { return tanh(reshape(matmul(reshape(sin(motors), {1, 12}), links), {24})); }
};

Tensor slopes(const Hand& hand, bool fixed) {
  GradientTape tape({.persistent = true});  //~
  Tensor tips;
  std::vector<Tensor> coordinates;
  {
    auto recording = tape.record();
    tips = hand.fingertips();
    if (!fixed) coordinates = unstack(tips);
  }
  if (fixed) return tape.jacobian(tips, hand.motors);
  std::vector<Tensor> rows;
  for (const Tensor& coordinate : coordinates) rows.push_back(tape.gradient(coordinate, hand.motors));  //!
  return stack(rows);
}

int main(int argc, char**) {
  const Hand hand;
  Tensor gradient;
  for (int grip = 0; grip < 3; ++grip) {
    gradient = slopes(hand, argc > 1);
    hand.motors.assign_sub(0.05 * reduce_mean(gradient, 0));
  }
  report("motors", gradient);
}
