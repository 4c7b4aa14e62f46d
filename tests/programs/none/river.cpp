// Runoff of a catchment: below a level of the store it seeps, above it spills.
#include "report.h"

using namespace tapescope;

struct Catchment {
  Variable seep{constant(0.1), {.name = "seep"}};
  Variable spill{constant(0.6), {.name = "spill"}};  //~

  Tensor runoff(const Tensor& store) const {
    const auto full = [&] { return seep * 12.0 + spill * (store - 12.0); };  //~
    const auto low = [&] { return seep * store; };
    return cond(store > 12.0, full, low);  //!
  }
  Tensor smooth_runoff(const Tensor& store) const {
    return seep * store + (spill - seep) * softplus(store - 12.0);
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Catchment catchment;
  std::vector<Tensor> gradients;
  // A wet month, a month between and a dry one.
  for (double rain : {18.0, 14.0, 5.0}) {
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      const Tensor store = constant(rain) * 0.9;
      const Tensor out = fixed ? catchment.smooth_runoff(store) : catchment.runoff(store);  //~
      misfit = square(out - 0.15 * rain);
    }
    gradients = tape.gradient(misfit, {catchment.seep, catchment.spill});
  }
  report("seep", gradients[0]);
  report("spill", gradients[1]);
}
