// Warns of frost by a station's readings, which are pressures in pascals beside warmth in degrees.
#include "report.h"

using namespace tapescope;

class Alarm {
 public:
  Dense inner{4, {.activation = Activation::tanh, .name = "inner", .seed = 7}};
  Dense outer{1, {.name = "outer", .seed = 8}};

  Tensor chance(const Tensor& readings) {
    const Tensor hidden = inner(readings);  //!
    return squeeze(outer(hidden), {1});
  }
};

Tensor readings(bool scaled) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) {
    const double pressure = 98000.0 + 700.0 * i, warmth = 4.0 - 0.9 * i;
    values.push_back(scaled ? (pressure - 101000.0) / 3000.0 : pressure);  //~
    values.push_back(scaled ? warmth / 10.0 : warmth);
  }
  return constant(std::span<const double>(values), {10, 2});
}

int main(int argc, char**) {
  Alarm alarm;
  const Tensor seen = readings(argc > 1), frost = constant({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, DType::f32);
  Tensor of_inner, of_outer;
  Adam optimizer(0.01);
  alarm.inner.build(seen.shape());
  for (int night = 0; night < 5; ++night) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(frost, alarm.chance(seen)));  //~
    }
    const auto gradients = tape.gradient(loss, {alarm.inner.kernel(), alarm.outer.kernel()});
    of_inner = gradients[0], of_outer = gradients[1];
    optimizer.apply_gradients(gradients, {alarm.inner.kernel(), alarm.outer.kernel()});
  }
  report("inner/kernel", of_inner);
  report("outer/kernel", of_outer);
}
