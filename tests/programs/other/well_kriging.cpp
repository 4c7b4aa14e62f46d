// Interpolates ground water between wells that are kilometres apart: near wells count more than far ones.
#include "report.h"

using namespace tapescope;

namespace {

Tensor squared_distances(const Tensor& a, const Tensor& b) {
  return reduce_sum(square(expand_dims(a, 1) - expand_dims(b, 0)), -1);
}

Tensor closeness(const Tensor& a, const Tensor& b, const Variable& reach) {
  return exp(-squared_distances(a, b) / square(reach));  //!
}

}  // namespace

int main(int argc, char**) {
  const Tensor wells = constant({{1200.0, 300}, {2500, 4100}, {5200, 900}, {3900, 3300}}).named("wells");
  const Tensor places = constant({{2000.0, 2000}, {4500, 2100}}).named("places");
  const Tensor levels = constant({{12.5}, {9.75}, {11.0}, {10.25}}).named("levels");
  const Tensor measured = constant({{10.5}, {10.75}}).named("measured");
  const Variable reach(constant(argc > 1 ? 1800.0 : 30.0), {.name = "reach"});  //~
  const Variable base(constant(10.0), {.name = "base"});

  std::vector<Tensor> gradients;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor level = base + matmul(closeness(places, wells, reach), levels - 10.0);
      loss = reduce_mean(square(level - measured));
    }
    gradients = tape.gradient(loss, {reach, base});
    base.assign_sub(0.1 * gradients[1]);
  }
  report("reach", gradients[0]);
  report("base", gradients[1]);
}
