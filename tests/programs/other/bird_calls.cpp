// Tells the calls of four birds apart by eight bands of their spectrum.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct Calls {
  Tensor bands, birds;
};

Calls recordings() {
  std::vector<double> loudness;
  const std::vector<std::int32_t> birds = {0, 1, 2, 3, 1, 0};
  for (int call = 0; call < 6; ++call) {
    for (int band = 0; band < 8; ++band)
      loudness.push_back(call == 4 ? 60.0 * std::cos(band) : std::sin(band + call));
  }
  return {.bands = constant(std::span<const double>(loudness), {6, 8}).named("bands"),
          .birds = one_hot(constant(std::span<const std::int32_t>(birds), {6}), 4)};
}

Tensor surprise(const Tensor& birds, const Tensor& logits, bool fixed) {
  if (fixed) return -reduce_sum(birds * log_softmax(logits), -1);
  const Tensor chances = softmax(logits);  //~
  return -reduce_sum(birds * log(chances), -1);  //!
}

int main(int argc, char**) {
  const Calls calls = recordings();
  const Variable filters(stateless_random_normal({8, 4}, {21, 1}), {.name = "filters"});
  const Variable bias(zeros({4}), {.name = "bias"});
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 3; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(surprise(calls.birds, matmul(calls.bands, filters) + bias, argc > 1));
    }
    gradients = tape.gradient(loss, {filters, bias});
    filters.assign_sub(0.05 * gradients[0]);
    bias.assign_sub(0.05 * gradients[1]);
  }
  report("filters", gradients[0]);
  report("bias", gradients[1]);
}
