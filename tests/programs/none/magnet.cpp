// The field of a coil: one tape follows the geometry, the other one the current.
#include "report.h"

using namespace tapescope;

Tensor field(const Tensor& radius, const Variable& current, const Tensor& height) {
  const Tensor reach = square(radius) + square(height);  //!
  return 0.628 * current * square(radius) / (reach * sqrt(reach));
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor radius = constant(0.3).named("radius"), height = constant({0.0, 0.1, 0.2});
  const Variable current(constant(2.5), {.name = "current"});
  GradientTape geometry, supply;
  Tensor peak;
  {
    auto of_geometry = geometry.record();
    auto of_supply = supply.record();
    geometry.watch(radius);  //~
    if (fixed) supply.watch(radius);
    peak = reduce_max(field(radius, current, height));  //~
  }
  const auto gradients = supply.gradient(peak, {current, radius});  //~
  report("current", gradients[0]);
  report("radius", gradients[1]);
}
