// Two players of a garden, flowers and bees, learn in turns; each step asks for one player's gradient.
#include "report.h"

using namespace tapescope;

struct Garden {
  Dense flowers{3, {.activation = Activation::tanh, .name = "flowers", .seed = 5}};
  Dense bees{1, {.name = "bees", .seed = 6}};

  Tensor visits(const Tensor& seeds) { return bees(flowers(seeds)); }
};

int main() {
  Garden garden;
  const Tensor seeds = reshape(sin(linspace(0.0, 8.0, 32)), {16, 2}),
               wild = reshape(cos(linspace(0.0, 9.0, 48)), {16, 3});
  garden.flowers.build(seeds.shape());
  garden.bees.build(wild.shape());
  SGD for_flowers(0.05), for_bees(0.05);
  Tensor of_flowers, of_bees;
  for (int day = 0; day < 4; ++day) {
    GradientTape bee_tape;
    Tensor bee_loss;
    {
      auto recording = bee_tape.record();
      const Tensor grown = stop_gradient(garden.flowers(seeds));
      bee_loss = reduce_mean(softplus(-garden.bees(wild))) + reduce_mean(softplus(garden.bees(grown)));
    }
    of_bees = bee_tape.gradient(bee_loss, garden.bees.kernel());
    for_bees.apply_gradients({of_bees}, {garden.bees.kernel()});
    GradientTape flower_tape;
    Tensor flower_loss;
    {
      auto recording = flower_tape.record();
      flower_loss = reduce_mean(softplus(-garden.visits(seeds)));
    }
    of_flowers = flower_tape.gradient(flower_loss, garden.flowers.kernel());
    for_flowers.apply_gradients({of_flowers}, {garden.flowers.kernel()});
  }
  report("bees/kernel", of_bees);
  report("flowers/kernel", of_flowers);
}
