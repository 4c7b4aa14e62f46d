// How many seals each rock holds: how each of forty counts moves with the five parameters of the tide.
#include "report.h"

using namespace tapescope;

struct Rocks {
  Variable tide{constant({0.4, 0.1, -0.2, 0.3, 0.05}), {.name = "tide"}};
  Tensor basis = reshape(cos(linspace(0.0, 30.0, 40 * 5)), {40, 5});

  Tensor seals() const { return softplus(matvec(basis, tide)); }
};

Tensor by_rows(const Rocks& rocks) {
  GradientTape tape({.persistent = true});
  std::vector<Tensor> seals;
  {
    auto recording = tape.record();
    seals = unstack(rocks.seals());
  }
  std::vector<Tensor> rows;
  for (const Tensor& rock : seals) rows.push_back(tape.gradient(rock, rocks.tide));  //!
  return stack(rows);
}

Tensor at_once(const Rocks& rocks) {
  GradientTape tape;
  Tensor seals;
  {
    auto recording = tape.record();
    seals = rocks.seals();
  }
  return tape.jacobian(seals, rocks.tide);
}

int main(int argc, char**) {
  const Rocks rocks;
  const Tensor counted = linspace(0.5, 2.0, 40);
  Tensor slope;
  for (int round = 0; round < 2; ++round) {
    slope = argc > 1 ? at_once(rocks) : by_rows(rocks);
    const Tensor gap = counted - rocks.seals();
    rocks.tide.assign_add(0.01 * matvec(slope, gap, true));
  }
  report("tide", slope);
}
