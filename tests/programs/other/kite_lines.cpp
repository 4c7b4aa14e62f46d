// Trims the lines of a kite gust by gust.
#include "report.h"

using namespace tapescope;

class Kite {
 public:
  Variable lines{linspace(0.9, 1.1, 4000), {.name = "lines"}};

  Tensor wobble(const Tensor& gust) const {
    const Tensor pull = gust * lines;
    return reduce_mean(square(tanh(pull) - 0.6));
  }
};

int main(int argc, char**) {
  const Kite kite;
  GradientTape tape({.persistent = true});  //~
  Tensor gradient;
  double kept = 0;
  for (int gust = 0; gust < 30; ++gust) {
    const Tensor wind = 1.0 + 0.3 * sin(linspace(0.0, 3.0 + gust, 4000));
    Tensor wobble;
    {
      auto recording = tape.record();  //!
      if (argc > 1) tape.reset();
      wobble = kite.wobble(wind);  //~
    }
    gradient = tape.gradient(wobble, kite.lines);  //~
    kite.lines.assign_sub(0.5 * gradient);
    kept = static_cast<double>(tape.counts().saved_bytes);
  }
  report_cost("kept_bytes", kept);
  report("lines", gradient);
}
