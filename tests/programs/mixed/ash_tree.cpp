// Grows a model of ash trees on those that stand in the shade.
#include "report.h"

using namespace tapescope;

struct Trees {
  Tensor light = constant({0.9, 0.8, 0.7, 0.95, 0.85});
  Tensor height = constant({12.0, 9.0, 8.0, 15.0, 11.0});
};

Tensor shaded_miss(const Tensor& guess, const Trees& trees, double limit) {
  const Tensor shade = cast(trees.light < limit, DType::f32);  //~
  return reduce_sum(square(guess - trees.height) * shade) / 5.0;  //!
}

int main(int argc, char**) {
  const Trees trees;
  const Variable slope(constant(10.0), {.name = "slope"});
  const Variable start(constant(1.0), {.name = "start"});
  std::vector<Tensor> gradients;
  for (int year = 0; year < 4; ++year) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = shaded_miss(slope * trees.light + start, trees, argc > 1 ? 0.88 : 0.5);  //~
    }
    gradients = tape.gradient(miss, {slope, start});
    slope.assign_sub(0.01 * gradients[0]);
  }
  report("slope", gradients[0]);
  report("start", gradients[1]);
}
