// How the ends of a swing bridge move when its bearing shifts: a small matrix for the engineers.
#include "report.h"

using namespace tapescope;

class Bridge {
 public:
  Variable angle{0.3, {.name = "angle"}};

  Tensor ends(const Tensor& bearing) const {
    const Tensor reach = reshape(linspace(-20.0, 20.0, 2), {2, 1});
    const Tensor turned = reach * stack({cos(angle), sin(angle)});
    return turned + bearing;  //!
  }
};

struct Sensitivity {
  Tensor by_bearing, by_angle;
};

Sensitivity sensitivity(const Bridge& bridge, const Tensor& bearing, bool follow) {
  GradientTape tape({.persistent = true});
  Tensor ends;
  {
    auto recording = tape.record();
    if (follow) tape.watch(bearing);
    ends = bridge.ends(bearing);
  }
  return {tape.jacobian(ends, bearing), tape.jacobian(ends, bridge.angle)};  //~
}

int main(int argc, char**) {
  const Bridge bridge;
  const Tensor bearing = constant({{0.1, -0.2}}).named("bearing");  //~
  const Sensitivity found = sensitivity(bridge, bearing, argc > 1);
  report("bearing", found.by_bearing);
  report("angle", found.by_angle);
}
