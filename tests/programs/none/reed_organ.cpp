// Reeds of an organ: the tone is to be steady where the force on the reed, a first derivative, changes least.
#include "report.h"

using namespace tapescope;

class Reed {
 public:
  Variable stiffness{constant(1.5), {.name = "stiffness"}}, mass{constant(0.6), {.name = "mass"}};
  Tensor energy(const Tensor& bend) const {
    return 0.5 * stiffness * square(bend) + mass * sin(bend) * stiffness;
  }
};

// Forces along the bend, as numbers ready for the plot and for what follows.
Tensor force(const Reed& reed, const Tensor& bend, bool on_tape) {
  GradientTape inner;
  Tensor energy;
  {
    auto recording = inner.record();
    inner.watch(bend);
    energy = reduce_sum(reed.energy(bend));
  }
  const Tensor slope = inner.gradient(energy, bend);
  if (on_tape) return slope;
  std::vector<double> kept;
  for (const double one : host_values(slope)) kept.push_back(-one);  //~
  return -constant(kept);  //!
}

int main(int argc, char**) {
  const Reed reed;
  const Tensor bend = linspace(0.1, 0.9, 5);
  std::vector<Tensor> gradients;
  for (int breath = 0; breath < 3; ++breath) {
    GradientTape outer;
    Tensor loss;
    {
      auto recording = outer.record();
      const Tensor pull = force(reed, bend, argc > 1);  //~
      loss = reduce_variance(pull) + 0.1 * square(reed.mass - 0.5);
    }
    gradients = outer.gradient(loss, {reed.stiffness, reed.mass});
    reed.mass.assign_sub(0.1 * gradients[1]);
  }
  report("stiffness", gradients[0]);
  report("mass", gradients[1]);
}
