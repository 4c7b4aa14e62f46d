// First and second derivative of a transistor's current in its linear range.
#include "report.h"

using namespace tapescope;

Tensor current(const Variable& voltage, bool bent) {
  const Tensor linear = 0.3 * voltage + 0.1;
  return bent ? linear + 0.02 * voltage * square(voltage) : linear;
}

int main(int argc, char**) {
  const Variable voltage(constant(1.2), {.name = "voltage"});
  GradientTape outer, inner;
  Tensor flow, conductance;
  {
    auto recording_outer = outer.record();
    auto recording_inner = inner.record();
    flow = current(voltage, argc > 1);  //~
    conductance = inner.gradient(flow, voltage).named("conductance");  //!
  }
  report("voltage", outer.gradient(conductance, voltage));
}
