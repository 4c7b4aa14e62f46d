// Places the words of a taxonomy in a hyperbolic disk, where general words lie near the centre.
#include "report.h"

using namespace tapescope;

Tensor hyperbolic_distance(const Tensor& u, const Tensor& v, double slack) {
  const Tensor apart = reduce_sum(square(u - v), -1);
  const Tensor room = (1.0 - reduce_sum(square(u), -1)) * (1.0 - reduce_sum(square(v), -1));
  return acosh(1.0 + 2.0 * apart / room + slack);  //!
}

class Tree {
 public:
  Variable places{constant({{0.0, 0.1}, {0.3, 0.2}, {-0.2, 0.4}, {0.5, -0.3}}), {.name = "places"}};
  Variable heat{0.5, {.name = "heat"}};

  // Each word against all words, itself among them.
  Tensor energy(const Tensor& parents, double slack) const {
    const Tensor u = expand_dims(places, 1), v = expand_dims(places, 0);
    const Tensor distances = hyperbolic_distance(u, v, slack);  //~
    return reduce_mean(sparse_softmax_cross_entropy_with_logits(parents, -distances / heat));
  }
};

int main(int argc, char**) {
  const Tree tree;
  const Tensor parents = constant({0, 0, 1, 1});
  GradientTape tape;
  Tensor energy;
  {
    auto recording = tape.record();
    energy = tree.energy(parents, argc > 1 ? 1e-4 : 0.0);
  }
  const auto [by_place, by_heat] = tape.gradient(energy, std::pair(tree.places, tree.heat));
  report("places", by_place);
  report("heat", by_heat);
}
