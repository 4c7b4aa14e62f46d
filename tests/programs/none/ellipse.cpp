// Fits an ellipse to the outline of a galaxy.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable width(constant(2.0)), height(constant(1.2)), tilt(constant(0.1));  //!
  const Tensor x = constant({1.9, 0.1, -2.0, 0.3}), y = constant({0.2, 1.3, -0.1, -1.1});
  GradientTape tape;
  Tensor off;
  {
    auto recording = tape.record();
    const Tensor along = fixed ? x * cos(tilt) + y * sin(tilt) : x;  //~
    const Tensor across = fixed ? y * cos(tilt) - x * sin(tilt) : y;  //~
    off = reduce_sum(square(square(along / width) + square(across / height) - 1.0));  //~
  }
  report(tilt.name(), tape.gradient(off, tilt));
}
