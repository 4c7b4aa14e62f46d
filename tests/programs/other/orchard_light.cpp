// How much light reaches the leaves of an orchard: three terms of one objective, each a function.
#include "report.h"

using namespace tapescope;

Tensor rows_of_trees(int rows, int places, double phase) {
  std::vector<double> height;
  for (int i = 0; i < rows * places; ++i) height.push_back(2.0 + std::sin(0.37 * i + phase));
  return constant(std::span<const double>(height), {rows, places});
}

struct Orchard {
  Tensor trees = rows_of_trees(48, 64, 0.4);
  Variable pruning{linspace(0.2, 0.6, 64), {.name = "pruning"}};
  Variable density{constant(0.15), {.name = "density"}};

  Tensor shade() const { return exp(-density * cumsum(trees * (1.0 - pruning), 1)); }
  Tensor harvest(const Tensor& shade) const { return reduce_mean(tanh(3.0 * shade)); }
  Tensor evenness(const Tensor& shade) const { return reduce_variance(shade); }
  Tensor sunburn(const Tensor& shade) const { return reduce_mean(relu(shade - 0.7)); }

  Tensor cost(bool fixed) const {
    if (fixed) {
      const Tensor light = shade();
      return 0.5 * evenness(light) + 2.0 * sunburn(light) - harvest(light);
    }
    const Tensor uneven = 0.5 * evenness(shade());  //~
    const Tensor burnt = 2.0 * sunburn(shade());  //!
    return uneven + burnt - harvest(shade());  //~
  }
};

int main(int argc, char**) {
  const Orchard orchard;
  std::vector<Tensor> gradients;
  for (int year = 0; year < 8; ++year) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      cost = orchard.cost(argc > 1);
    }
    gradients = tape.gradient(cost, {orchard.pruning, orchard.density});
    orchard.pruning.assign_sub(0.1 * gradients[0]);
    orchard.density.assign_sub(0.01 * gradients[1]);
  }
  report("pruning", gradients[0]);
  report("density", gradients[1]);
}
