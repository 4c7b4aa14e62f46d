// Trims a sail: the push forward and the heel of the boat by the sail's height and draught on a fine grid.
#include "report.h"

using namespace tapescope;

struct Sail {
  Variable height{constant(6.0), {.name = "height"}};
  Variable draught{constant(0.12), {.name = "draught"}};

  Tensor pressure(const Tensor& grid) const {
    const Tensor profile = sin(grid * draught) * exp(-grid / height);
    return tanh(profile + 0.1 * square(profile));
  }
};

int main(int argc, char**) {
  const Sail sail;
  const Tensor grid = reshape(linspace(0.0, 6.0, 512 * 512), {512, 512});
  std::vector<Tensor> gradients;
  double kept = 0;
  for (int tack = 0; tack < 4; ++tack) {
    GradientTape tape({.persistent = argc == 1});  //!
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor pressure = sail.pressure(grid);
      const Tensor heel = reduce_mean(grid * pressure);
      loss = square(heel - 0.4) - 0.2 * reduce_mean(pressure);
    }
    gradients = tape.gradient(loss, {sail.height, sail.draught});  //~
    kept += static_cast<double>(tape.counts().saved_bytes);
    sail.height.assign_sub(0.5 * gradients[0]);
    sail.draught.assign_sub(0.01 * gradients[1]);
  }
  report_cost("kept_bytes", kept);
  report("height", gradients[0]);
  report("draught", gradients[1]);
}
