// Patterns of rugs: Newton steps by Hessian times vector, a gradient of a gradient on purpose.
#include "report.h"

using namespace tapescope;

class Loom {
 public:
  Variable knots{constant({0.4, 0.9, -0.3}), {.name = "knots"}};
  Tensor tension() const {
    return reduce_sum(pow(square(knots), 2.0)) + reduce_sum(cos(knots)) + square(reduce_sum(knots));
  }
};

struct Curved {
  Tensor slope, product;
};

Curved curved(const Loom& loom, const Tensor& along) {
  GradientTape outer;
  Tensor slope, projected;
  {
    auto recording_outer = outer.record();
    GradientTape inner;
    Tensor tension;
    {
      auto recording = inner.record();
      tension = loom.tension();
    }
    slope = inner.gradient(tension, loom.knots);
    projected = reduce_sum(slope * stop_gradient(along));
  }
  return {slope, outer.gradient(projected, loom.knots)};
}

int main() {
  const Loom loom;
  Tensor last;
  Tensor along = constant({1.0, 0.0, 0.0});
  for (int row = 0; row < 6; ++row) {
    const Curved now = curved(loom, along);
    const double bend = item(reduce_sum(now.product * along)) / item(reduce_sum(square(along)));
    loom.knots.assign_sub(now.slope / std::max(std::abs(bend), 2.0));
    along = now.slope;
    last = now.product;
  }
  report("knots", last);
}
