// Shapes a wing's section: drag and lift pull it in different ways, both slopes are drawn beside it.
#include "report.h"

using namespace tapescope;

class Section {
 public:
  Variable bend{fill({256}, 0.02), {.name = "bend"}};
  Variable thickness{fill({256}, 0.1), {.name = "thickness"}};

  Tensor lift(const Tensor& chord) const { return reduce_sum(bend * sin(3.14159 * chord) * exp(-thickness)); }
  Tensor drag() const { return reduce_sum(square(thickness)) + 4.0 * reduce_sum(square(bend)); }
};

int main(int argc, char**) {
  const Section wing;
  const Tensor chord = linspace(0.0, 1.0, 256);
  std::vector<Tensor> by_drag, by_lift;
  double recorded = 0;
  for (int run = 0; run < 8; ++run) {
    GradientTape tape({.persistent = true});
    tape.enter();  //~
    const Tensor drag = wing.drag() + 0.05 * reduce_mean(exp(-8.0 * wing.thickness));
    const Tensor lift = square(wing.lift(chord) - 4.0);
    if (argc > 1) tape.exit();
    by_drag = tape.gradient(drag, {wing.bend, wing.thickness});  //!
    by_lift = tape.gradient(lift, {wing.bend, wing.thickness});  //~
    if (argc == 1) tape.exit();  //~
    recorded += static_cast<double>(tape.counts().recorded);
    wing.bend.assign_sub(0.001 * (by_drag[0] + by_lift[0]));
    wing.thickness.assign_sub(0.001 * (by_drag[1] + by_lift[1]));
  }
  report_cost("recorded", recorded);
  report("bend", by_drag[0]);
  report("thickness", by_drag[1]);
}
