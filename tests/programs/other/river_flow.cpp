// Flow over a weir by the height of the water above its crest: Q = c h^0.5, the dry gauge shows 0.
#include "report.h"

using namespace tapescope;

struct Weir {
  Variable crest{constant(0.0), {.name = "crest"}};
  Variable width{constant(2.0), {.name = "width"}};

  Tensor flow(const Tensor& height, double dry) const {
    const Tensor above = height - crest + dry;
    return width * pow(above, 0.5);  //!
  }
};

int main(int argc, char**) {
  const Weir weir;
  const Tensor height = constant({0.42, 0.31, 0.0, 0.18, 0.0}).named("height");  //~
  const Tensor flow = constant({1.4, 1.2, 0.0, 0.9, 0.0}).named("flow");
  Tensor misfit;
  GradientTape tape;
  {
    auto recording = tape.record();
    misfit = reduce_mean(square(weir.flow(height, argc > 1 ? 1e-6 : 0.0) - flow));
  }
  const auto gradients = tape.gradient(misfit, {weir.crest, weir.width});
  report("crest", gradients[0]);
  report("width", gradients[1]);
}
