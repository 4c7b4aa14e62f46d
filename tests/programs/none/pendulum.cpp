// A network that is to obey the equation of a pendulum: angle'' = -k sin(angle).
#include "report.h"

using namespace tapescope;

struct Swing {
  Variable amplitude{constant(0.5), {.name = "amplitude"}};
  Variable frequency{constant(2.8), {.name = "frequency"}};
  Tensor angle(const Tensor& time) const { return amplitude * cos(frequency * time); }
};

// Acceleration at a time, by two tapes.
Tensor acceleration(const Swing& swing, const Tensor& time, bool inside) {
  GradientTape speeds, positions;
  Tensor angle, speed;
  {
    auto recording = speeds.record();
    speeds.watch(time);
    {
      auto inner = positions.record();
      positions.watch(time);
      angle = swing.angle(time);
    }
    if (inside) speed = positions.gradient(angle, time);
  }
  if (!inside) speed = positions.gradient(angle, time);  //!
  return speeds.gradient(speed, time);
}

int main(int argc, char**) {
  const Swing swing;
  const Tensor time = constant({0.0, 0.3, 0.6}).named("time");
  report("time", acceleration(swing, time, argc > 1));
}
