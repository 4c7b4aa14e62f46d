// Flattens a coin's relief: each round the press is smoothed by the same kernel matrix.
#include "report.h"

using namespace tapescope;

class Press {
 public:
  Variable relief{sin(linspace(0.0, 9.0, 48)), {.name = "relief"}};
  Tensor places = linspace(0.0, 1.0, 48);

  Tensor kernel(double width) const {
    const Tensor gaps = expand_dims(places, 0) - expand_dims(places, 1);  //~
    return exp(-square(gaps) / (2.0 * width * width));  //~
  }
  Tensor strain(const Tensor& kernel) const {
    const Tensor smooth = matvec(kernel, relief) / reduce_sum(kernel, 1);
    return reduce_mean(square(smooth)) + 0.1 * reduce_mean(square(relief - smooth));
  }
};

int main(int argc, char**) {
  const Press press;
  const Tensor kept = press.kernel(0.1);
  Tensor gradient;
  for (int blow = 0; blow < 8; ++blow) {
    GradientTape tape;
    Tensor strain;
    {
      auto recording = tape.record();
      strain = press.strain(argc > 1 ? kept : press.kernel(0.1));  //!
    }
    gradient = tape.gradient(strain, press.relief);
    press.relief.assign_sub(0.5 * gradient);
  }
  report("relief", gradient);
}
