// Fits heat flow in a bakery oven: its walls, its air and the bread each have their own coefficient.
#include "report.h"

using namespace tapescope;

struct Oven {
  Variable walls{linspace(0.1, 0.5, 40), {.name = "walls"}};
  Variable air{linspace(0.2, 0.4, 40), {.name = "air"}};
  Variable bread{linspace(0.3, 0.9, 40), {.name = "bread"}};

  Tensor temperature(const Tensor& minutes) const {
    const Tensor rising = 1.0 - exp(-minutes * walls);
    const Tensor lost = exp(-minutes * air) * tanh(minutes * bread);
    return 230.0 * rising - 40.0 * lost;
  }
};

int main(int argc, char**) {
  const Oven oven;
  const Tensor minutes = reshape(linspace(0.1, 12.0, 60), {60, 1});
  const Tensor measured = 225.0 * (1.0 - exp(-0.35 * minutes)) - 20.0 * exp(-0.2 * minutes);
  Tensor by_walls, by_air, by_bread;
  for (int round = 0; round < 6; ++round) {
    GradientTape tape({.persistent = true});  //~
    Tensor error;
    {
      auto recording = tape.record();
      error = reduce_mean(square((oven.temperature(minutes) - measured) / 100.0));
    }
    if (argc > 1) {
      const auto all = tape.gradient(error, {oven.walls, oven.air, oven.bread});
      by_walls = all[0];
      by_air = all[1];
      by_bread = all[2];
    } else {
      by_walls = tape.gradient(error, oven.walls);  //~
      by_air = tape.gradient(error, oven.air);  //!
      by_bread = tape.gradient(error, oven.bread);  //~
    }
    oven.walls.assign_sub(0.05 * by_walls);
    oven.air.assign_sub(0.05 * by_air);
    oven.bread.assign_sub(0.05 * by_bread);
  }
  report("walls", by_walls);
  report("air", by_air);
  report("bread", by_bread);
}
