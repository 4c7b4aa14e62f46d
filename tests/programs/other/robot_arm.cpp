// The Jacobian of a robot's arm: how each coordinate of the hand follows the angles.
#include "report.h"

using namespace tapescope;

struct Arm {
  Variable angles{linspace(0.1, 1.2, 16), {.name = "angles"}};

  Tensor hand() const {
    const Tensor turned = cumsum(angles, 0);
    const Tensor reach = linspace(1.0, 0.3, 16);
    return concat({cumsum(reach * cos(turned), 0), cumsum(reach * sin(turned), 0)}, 0);
  }
};

Tensor row(GradientTape& tape, const Tensor& coordinate, const Variable& angles) {
  return tape.gradient(coordinate, angles);  //!
}

Tensor jacobian(const Arm& arm, bool fixed) {
  GradientTape tape({.persistent = true});
  Tensor hand;
  std::vector<Tensor> coordinates;
  {
    auto recording = tape.record();
    hand = arm.hand();
    for (int i = 0; i < 32 && !fixed; ++i) coordinates.push_back(hand[i]);
  }
  if (fixed) return tape.jacobian(hand, arm.angles);
  std::vector<Tensor> rows;
  for (const Tensor& coordinate : coordinates) rows.push_back(row(tape, coordinate, arm.angles));  //~
  return stack(rows);
}

int main(int argc, char**) {
  const Arm arm;
  Tensor slope;
  for (int moment = 0; moment < 5; ++moment) {
    slope = jacobian(arm, argc > 1);
    arm.angles.assign_sub(0.001 * reduce_sum(slope, 0));
  }
  report("angles", slope);
}
