// A controller that opens a radiator's valve by the difference of temperature; the valve opens between 0 and
// 100 percent.
#include "report.h"

using namespace tapescope;

namespace {

Tensor opening(const Tensor& demand) {
  const Tensor percent = minimum(demand, 100.0);
  return maximum(percent, 0.0);  //!
}

// Room temperature after each hour, warmed by the valve and cooled by the outside.
Tensor simulate(const Variable& gain, const Tensor& outside, bool fixed) {
  Tensor room = constant(16.0);
  const Tensor wanted = constant(21.0);
  Tensor discomfort = constant(0.0);
  for (int hour = 0; hour < 6; ++hour) {
    const Tensor error = fixed ? wanted - room : room - wanted;  //~
    room = room + 0.03 * opening(gain * error) + 0.05 * (at(outside, hour) - room);
    discomfort = discomfort + square(room - wanted);
  }
  return discomfort;
}

}  // namespace

int main(int argc, char**) {
  const Variable gain(constant(8.0), {.name = "gain"});
  const Tensor outside = constant({2.0, 1.0, 0.5, 0.0, 1.5, 3.0}).named("outside");
  GradientTape tape;
  Tensor discomfort;
  {
    auto recording = tape.record();
    discomfort = simulate(gain, outside, argc > 1);
  }
  report("gain", tape.gradient(discomfort, gain));
}
