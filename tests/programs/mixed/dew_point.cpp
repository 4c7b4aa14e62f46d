// Dew point from soundings of the air; fit and smoothness look at the same features.
#include "report.h"

using namespace tapescope;

class Air {
 public:
  Variable kernel{0.2 * reshape(sin(linspace(0.0, 9.0, 64)), {8, 8}), {.name = "kernel"}};
  Variable out{cos(linspace(0.0, 2.0, 8)), {.name = "out"}};

  Tensor features(const Tensor& air) const { return tanh(matmul(tanh(matmul(air, kernel)), kernel)); }  //~
  Tensor miss(const Tensor& features, const Tensor& dew) const {
    return reduce_mean(square(matvec(features, out) - dew));
  }
  Tensor wiggle(const Tensor& features) const { return reduce_mean(square(features - roll(features, 1, 0))); }
};

int main(int argc, char**) {
  const Air air;
  const Tensor soundings = reshape(sin(linspace(0.0, 70.0, 32 * 8)), {32, 8});
  const Tensor dew = sin(linspace(0.0, 5.0, 32));
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor features = air.features(soundings);  //~
      loss = air.miss(features, dew) + 0.1 * air.wiggle(argc > 1 ? features : air.features(soundings));  //!
    }
    gradients = tape.gradient(loss, {air.kernel, air.out});
    air.out.assign_sub(0.1 * gradients[1]);
    air.kernel.assign_sub(0.1 * gradients[0]);
  }
  report("kernel", gradients[0]);
  report("out", gradients[1]);
}
