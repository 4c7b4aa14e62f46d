// Estimates a spring's stiffness from its period.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor stiffness = constant(14.0).named("stiffness");  //~
  const Variable mass(constant(0.5), {.name = "mass"});
  const double observed = 1.21;

  GradientTape tape;
  Tensor error;
  {
    auto recording = tape.record();
    if (fixed) tape.watch(stiffness);
    const Tensor frequency = rsqrt(stiffness);  //!
    const Tensor period = 6.2831853 * sqrt(mass) * frequency;
    error = square(period - observed);
  }
  const auto slopes = tape.gradient(error, {stiffness, mass});
  report("stiffness", slopes[0]);
  report("mass", slopes[1]);
}
