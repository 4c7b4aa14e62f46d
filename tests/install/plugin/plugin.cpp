// The slope of a traced cube.
#include "engine/tapescope.h"

using namespace tapescope;

double cube_slope(double at) {
  Function cube("cube", [](const Tensor& x) { return x * x * x; });
  const Variable x(constant(at), {.name = "x"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = cube(x.value());
  }
  return element(tape.gradient(y, x), 0);
}
