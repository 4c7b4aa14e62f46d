// The bore of a trumpet: how each of sixteen partials moves with the radii along the tube.
#include "report.h"

using namespace tapescope;

constexpr std::int64_t kPartials = 16;

class Bore {
 public:
  Variable radii{0.6 + 0.1 * sin(linspace(0.0, 4.0, 6)), {.name = "radii"}};
  Tensor modes = reshape(cos(linspace(0.0, 40.0, kPartials * 6)), {kPartials, 6});

  Tensor partials() const { return sqrt(linspace(1.0, 16.0, kPartials) + square(matvec(modes, radii))); }
};

class Sensitivity {
 public:
  explicit Sensitivity(const Bore& bore) : bore_(bore) {}

  Tensor row_by_row() const {
    GradientTape tape({.persistent = true});
    Tensor sounding;
    {
      auto recording = tape.record();
      sounding = bore_.partials();
    }
    std::vector<Tensor> rows;
    for (std::int64_t partial = 0; partial < kPartials; ++partial) {  //~
      const Tensor which = one_hot(constant(partial), kPartials);  //~
      rows.push_back(tape.gradient(sounding, bore_.radii, {.output_gradients = {which}}));  //!
    }
    return stack(rows);
  }
  Tensor at_once() const {
    GradientTape tape;
    Tensor sounding;
    {
      auto recording = tape.record();
      sounding = bore_.partials();
    }
    return tape.jacobian(sounding, bore_.radii);
  }

 private:
  const Bore& bore_;
};

int main(int argc, char**) {
  const Bore bore;
  const Sensitivity sensitivity(bore);
  const Tensor wanted = sqrt(linspace(1.2, 16.5, kPartials));
  Tensor moves;
  for (int bend = 0; bend < 3; ++bend) {
    moves = argc > 1 ? sensitivity.at_once() : sensitivity.row_by_row();  //~
    bore.radii.assign_add(0.02 * matvec(moves, wanted - bore.partials(), true));
  }
  report("radii", moves);
}
