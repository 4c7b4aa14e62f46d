// Cracks in a kiln: a rate goes down with each firing, by steps that are too long for it.
#include "report.h"

using namespace tapescope;

class Kiln {
 public:
  Variable rate{constant(0.6), {.name = "rate"}};
  Variable shape{constant(1.2), {.name = "shape"}};

  Tensor crack(const Tensor& heat, bool bounded) const {
    const Tensor growth = bounded ? softplus(rate) : rate * 1.0;
    return shape * sqrt(growth * heat);  //!
  }
};

int main(int argc, char**) {
  const bool bounded = argc > 1;
  const Kiln kiln;
  const Tensor heat = linspace(0.2, 2.0, 7), seen = fill({7}, 0.1);
  std::vector<Tensor> gradients;
  for (int firing = 0; firing < 8; ++firing) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(kiln.crack(heat, bounded) - seen));  //~
    }
    gradients = tape.gradient(loss, {kiln.rate, kiln.shape});
    kiln.rate.assign_sub(0.4 * gradients[0]);  //~
    kiln.shape.assign_sub(0.01 * gradients[1]);
  }
  report("rate", gradients[0]);
  report("shape", gradients[1]);
}
