// How long a tram's doors stay open: a smoothed estimate of the crowd is kept between stops.
#include "report.h"

using namespace tapescope;

class Doors {
 public:
  Variable patience{constant(0.7), {.name = "patience"}};
  Variable crowd{constant(0.2), {.name = "crowd", .trainable = false}};

  Tensor hold(const Tensor& waiting, bool fixed) {
    const Tensor smooth = patience * crowd + (1.0 - patience) * waiting;
    if (fixed) {
      const Tensor held = softplus(smooth * 2.0);
      crowd.assign(smooth);
      return held;
    }
    crowd.assign(smooth);  //!
    return softplus(crowd * 2.0);
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Doors doors;
  const std::vector<double> stops = {0.4, 0.9, 0.1, 0.6};
  Tensor gradient;
  for (double waiting : stops) {
    GradientTape tape;
    Tensor regret;
    {
      auto recording = tape.record();
      regret = square(doors.hold(constant(waiting), fixed) - 1.1);
    }
    gradient = tape.gradient(regret, doors.patience);
    if (gradient) doors.patience.assign_sub(0.05 * gradient);
  }
  report("patience", gradient);
}
