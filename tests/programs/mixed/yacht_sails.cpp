// Trims the two sails of a yacht; what strains the rig is charged for.
#include "report.h"

using namespace tapescope;

struct Rig {
  Variable main{0.3, {.name = "main"}}, jib{0.2, {.name = "jib"}};

  Tensor strain() const { return square(main) + square(0.5 * jib); }  //!
  Tensor speed(const Tensor& wind) const { return reduce_mean(wind * sin(2.0 * main)); }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Rig rig;
  const Tensor wind = constant({4.0, 6.5, 9.0}).named("wind");
  const Tensor charge = 0.1 * rig.strain();  //~
  SGD optimizer(0.02);
  std::vector<Tensor> gradients;
  for (int leg = 0; leg < 3; ++leg) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      cost = (fixed ? 0.1 * rig.strain() : charge) - rig.speed(wind);
    }
    gradients = tape.gradient(cost, {rig.main, rig.jib});
    if (gradients[1]) optimizer.apply_gradients(gradients, {rig.main, rig.jib});
    else rig.main.assign_sub(0.02 * gradients[0]);
  }
  report("main", gradients[0]);
  report("jib", gradients[1]);
}
