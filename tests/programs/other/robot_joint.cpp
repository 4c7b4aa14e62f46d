// Penalizes the length of a robot's correction so that it moves no more than it has to; it starts with no
// correction.
#include "report.h"

using namespace tapescope;

struct Arm {
  Tensor target = constant({0.4, 0.9, -0.2}).named("target");
  Tensor pose = constant({0.1, 0.7, 0.3}).named("pose");
  Variable correction{zeros({3}), {.name = "correction"}};  //~

  Tensor effort(bool fixed) const {
    if (fixed) return sqrt(reduce_sum(square(correction)) + 1e-12);
    return norm(correction);  //!
  }
  Tensor miss() const { return reduce_sum(square(pose + correction - target)); }
};

int main(int argc, char**) {
  const Arm arm;
  Tensor gradient;
  for (int i = 0; i < 5; ++i) {
    GradientTape tape;
    tape.enter();
    const Tensor cost = arm.miss() + 0.1 * arm.effort(argc > 1);
    tape.exit();
    gradient = tape.gradient(cost, arm.correction);
    arm.correction.assign_sub(0.2 * gradient);
  }
  report("correction", gradient);
}
