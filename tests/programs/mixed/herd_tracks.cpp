// Tracks of a herd of deer: where each animal goes from what it sees, animal by animal.
#include "report.h"

using namespace tapescope;

class Deer {
 public:
  Variable eyes{reshape(sin(linspace(0.0, 4.0, 20)), {5, 4}), {.name = "eyes"}};
  Variable legs{reshape(cos(linspace(0.0, 3.0, 8)), {4, 2}), {.name = "legs"}};

  Tensor step(const Tensor& seen) const { return matmul(tanh(matmul(seen, eyes)), legs); }
};

Tensor herd_miss(const Deer& deer, const Tensor& seen, const Tensor& went) {
  std::vector<Tensor> misses;
  for (int animal = 0; animal < seen.dim(0); ++animal) {
    const Tensor step = deer.step(seen(range(animal, animal + 1)));  //!
    misses.push_back(reduce_sum(square(step - went(range(animal, animal + 1)))));  //~
  }
  return add_n(misses) / static_cast<double>(seen.dim(0));
}

Tensor herd_miss_together(const Deer& deer, const Tensor& seen, const Tensor& went) {
  return reduce_mean(reduce_sum(square(deer.step(seen) - went), 1));
}

int main(int argc, char**) {
  const Deer deer;
  const Tensor seen = reshape(cos(linspace(0.0, 60.0, 40 * 5)), {40, 5});
  const Tensor went = reshape(sin(linspace(0.0, 9.0, 80)), {40, 2});
  std::vector<Tensor> gradients;
  for (int dawn = 0; dawn < 3; ++dawn) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = argc > 1 ? herd_miss_together(deer, seen, went) : herd_miss(deer, seen, went);  //~
    }
    gradients = tape.gradient(miss, {deer.eyes, deer.legs});
    deer.eyes.assign_sub(0.05 * gradients[0]);
    deer.legs.assign_sub(0.05 * gradients[1]);
  }
  report("eyes", gradients[0]);
  report("legs", gradients[1]);
}
