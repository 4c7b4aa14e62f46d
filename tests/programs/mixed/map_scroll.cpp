// Ages of old maps by their ink. Helpers take columns and give rows back, each for itself.
#include "report.h"

using namespace tapescope;

Tensor column(const Tensor& row) { return transpose(row); }  //!

Tensor inked(const Tensor& maps, const Variable& ink) {
  return column(exp(-matmul(column(maps), ink)));  //~
}
Tensor faded(const Tensor& seen, const Variable& fading) {
  const Tensor upright = column(seen);  //~
  return upright * sigmoid(fading);
}
Tensor faded_upright(const Tensor& upright, const Variable& fading) { return upright * sigmoid(fading); }

int main(int argc, char**) {
  const Variable ink(reshape(sin(linspace(0.1, 3.0, 12)), {4, 3}), {.name = "ink"});
  const Variable fading({0.2, 0.5, -0.1}, {.name = "fading"});
  const Tensor maps = reshape(square(cos(linspace(0.0, 20.0, 4 * 50))), {4, 50});
  std::vector<Tensor> gradients;
  for (int sheet = 0; sheet < 3; ++sheet) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      const Tensor ages = argc > 1 ? faded_upright(exp(-matmul(maps, ink, true)), fading)
                                   : faded(inked(maps, ink), fading);  //~
      miss = reduce_mean(square(ages - 0.4));
    }
    gradients = tape.gradient(miss, {ink, fading});
    fading.assign_sub(0.1 * gradients[1]);
  }
  report("ink", gradients[0]);
  report("fading", gradients[1]);
}
