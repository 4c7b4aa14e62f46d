// A grinder finds the place of its tool from arms, then the shape of the glass below.
#include "report.h"

using namespace tapescope;

struct Pose {
  double x, y;
};

class Arm {
 public:
  Variable shoulder{constant(0.5), {.name = "shoulder"}}, elbow{constant(0.8), {.name = "elbow"}};
  Tensor tip() const {
    return stack({cos(shoulder) + 0.7 * cos(shoulder + elbow), sin(shoulder) + 0.7 * sin(shoulder + elbow)});
  }
  Pose pose() const {
    const std::vector<double> at = elements(tip());  //~
    return {at[0], at[1]};
  }
};

class Glass {
 public:
  Variable bend{constant(0.4), {.name = "bend"}};
  Tensor height(const Tensor& place) const { return bend * reduce_sum(square(place)); }
};

Tensor gap(const Arm& arm, const Glass& glass, bool exact) {
  if (exact) return glass.height(arm.tip()) - 0.6;
  const Pose pose = arm.pose();  //~
  return glass.height(constant({pose.x, pose.y})) - 0.6;  //!
}

int main(int argc, char**) {
  const Arm arm;
  const Glass glass;
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 3; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(gap(arm, glass, argc > 1));  //~
    }
    gradients = tape.gradient(loss, {arm.shoulder, arm.elbow, glass.bend});
    glass.bend.assign_sub(0.05 * gradients[2]);
  }
  report("shoulder", gradients[0]);
  report("elbow", gradients[1]);
  report("bend", gradients[2]);
}
