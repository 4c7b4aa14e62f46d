// Keeps an ice rink cold: the loss and the figure for the display both run the model.
#include "report.h"

using namespace tapescope;

class Cooling {
 public:
  Variable pipes{reshape(sin(linspace(0.0, 9.0, 40 * 60)), {40, 60}), {.name = "pipes"}};
  Variable pumps{reshape(cos(linspace(0.0, 4.0, 60)), {60, 1}), {.name = "pumps"}};
  Tensor cold(const Tensor& readings) const { return matmul(tanh(matmul(readings, pipes)), pumps); }
};

int main(int argc, char**) {
  const Cooling cooling;
  const Tensor readings = reshape(cos(linspace(0.0, 50.0, 64 * 40)), {64, 40});
  const Tensor wanted = reshape(sin(linspace(0.0, 5.0, 64)), {64, 1});
  Adam optimizer(0.001);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 5; ++hour) {
    GradientTape tape;
    Tensor loss, warmest;
    {
      auto recording = tape.record();
      const Tensor cold = cooling.cold(readings);  //~
      loss = reduce_mean(square(cold - wanted));
      warmest = reduce_max(argc > 1 ? cold : cooling.cold(readings));  //!
      loss = loss + 0.01 * warmest;
    }
    gradients = tape.gradient(loss, {cooling.pipes, cooling.pumps});
    optimizer.apply_gradients(gradients, {cooling.pipes, cooling.pumps});
  }
  report("pipes", gradients[0]);
  report("pumps", gradients[1]);
}
