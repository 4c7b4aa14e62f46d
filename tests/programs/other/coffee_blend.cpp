// Blends coffees to a wanted taste; the objective holds how unlikely the harvest was, so that years can be
// compared.
#include "report.h"

using namespace tapescope;

struct Harvest {
  Tensor chance = constant({0.3, 0.7, 0.0}).named("chance");  //~
  Tensor bitter = constant({0.6, 0.2, 0.4}).named("bitter");

  Tensor rarity(bool fixed) const {
    if (fixed) return -reduce_sum(log(maximum(chance, 1e-6)));
    return -reduce_sum(log(chance));  //!
  }
};

int main(int argc, char**) {
  const Harvest harvest;
  const Variable blend(constant({0.2, 0.3, 0.1}), {.name = "blend"});
  const Variable roast(constant(0.9), {.name = "roast"});
  std::vector<Tensor> gradients;
  for (int cup = 0; cup < 4; ++cup) {
    GradientTape tape;
    Tensor objective;
    {
      auto recording = tape.record();
      const Tensor taste = roast * reduce_sum(softmax(blend) * harvest.bitter);
      objective = square(taste - 0.35) + 0.01 * harvest.rarity(argc > 1);
    }
    gradients = tape.gradient(objective, {blend, roast});
    blend.assign_sub(0.5 * gradients[0]);
    roast.assign_sub(0.5 * gradients[1]);
  }
  report("blend", gradients[0]);
  report("roast", gradients[1]);
}
