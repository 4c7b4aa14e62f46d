// Loads in the mooring lines of a floating platform over many sea states.
#include "report.h"

using namespace tapescope;

class Mooring {
 public:
  Variable stiffness{reshape(0.5 + 0.2 * sin(linspace(0.0, 6.0, 24)), {6, 4}), {.name = "stiffness"}};
  Variable pretension{constant({1.0, 1.1, 0.9, 1.2}), {.name = "pretension"}};

  // Tension of each line for one offset of the platform: surge, sway, heave, roll, pitch, yaw.
  Tensor tension(const Tensor& offset) const {
    const Tensor stretch = reduce_sum(expand_dims(offset, 1) * stiffness, 0);
    return softplus(pretension + stretch);
  }
  Tensor tensions(const Tensor& offsets) const { return softplus(pretension + matmul(offsets, stiffness)); }
};

struct SeaStates {
  Tensor offsets, measured;
  std::int64_t count() const { return offsets.dim(0); }
};

SeaStates campaign() {
  const Tensor offsets = reshape(0.4 * cos(linspace(0.0, 40.0, 240)), {40, 6});
  return {offsets, fill({40, 4}, 1.3)};
}

Tensor damage(const Mooring& mooring, const SeaStates& seas, bool together) {
  if (together) return reduce_mean(square(mooring.tensions(seas.offsets) - seas.measured));
  std::vector<Tensor> squares;
  for (std::int64_t i = 0; i < seas.count(); ++i) {  //~
    const Tensor off = mooring.tension(seas.offsets[i]) - seas.measured[i];  //!
    squares.push_back(square(off));  //~
  }
  return reduce_mean(stack(squares));  //~
}

int main(int argc, char**) {
  const Mooring mooring;
  const SeaStates seas = campaign();
  Adam adam(0.01);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 3; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = damage(mooring, seas, argc > 1);  //~
    }
    gradients = tape.gradient(loss, {mooring.stiffness, mooring.pretension});
    adam.apply_gradients(gradients, {mooring.stiffness, mooring.pretension});
  }
  report("stiffness", gradients[0]);
  report("pretension", gradients[1]);
}
