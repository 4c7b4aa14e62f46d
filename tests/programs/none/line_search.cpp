// Tries a few step lengths before the step that counts.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable torque(constant({0.5, -0.3}), {.name = "torque"}), load(constant(1.2), {.name = "load"});
  GradientTape tape;
  Tensor cost;
  {
    auto recording = tape.record();
    if (fixed) tape.reset();
    const Tensor bend = sin(torque) * 0.4;  //!
    for (double trial : {0.1, 0.2, 0.4}) {
      std::fprintf(stderr, "%.1f: %.4f\n", trial, item(reduce_sum(square(bend - trial))));
    }
    if (!fixed) tape.reset();  //~
    cost = reduce_sum(square(bend - 0.2)) * load;
  }
  const auto gradients = tape.gradient(cost, {torque, load});
  report("torque", gradients[0]);
  report("load", gradients[1]);
}
