// Where a lens brings light to a point, and how that depends on its two radii.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable index(constant(1.52), {.name = "index"});
  const Tensor front = constant(0.11).named("front"), back = constant(-0.14).named("back");
  GradientTape tape;
  Tensor blur;
  {
    auto recording = tape.record();
    tape.watch(front);
    if (fixed) tape.watch(back);
    const Tensor curvature = 1.0 / front - reciprocal(back);  //!
    tape.watch(back);  //~
    const Tensor focus = 1.0 / ((index - 1.0) * curvature);
    blur = square(focus - 0.12);
  }
  const auto gradients = tape.gradient(blur, {index, front, back});
  report("index", gradients[0]);
  report("front", gradients[1]);
  report("back", gradients[2]);
}
