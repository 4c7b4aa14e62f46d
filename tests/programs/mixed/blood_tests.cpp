// A clinic's model: a lab sends a broken value now and then, and that batch is left out.
#include "report.h"

using namespace tapescope;

bool is_sound(const std::vector<Tensor>& gradients) {
  for (const Tensor& gradient : gradients) {
    for (const double value : elements(gradient)) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

int main() {
  const Variable weights(constant({0.2, 0.1}), {.name = "weights"}), bias(0.0, {.name = "bias"});
  SGD optimizer(0.05);
  std::vector<Tensor> gradients;
  int left_out = 0;
  for (int batch = 0; batch < 9; ++batch) {
    const double sugar = batch == 4 ? std::nan("") : 0.9 + 0.1 * batch;
    const Tensor values = constant({{sugar, 0.3}, {0.8, 0.4 + 0.05 * batch}}), ill = constant({1.0, 0.0});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(ill, matvec(values, weights) + bias));
    }
    gradients = tape.gradient(loss, {weights, bias});
    if (!is_sound(gradients)) {
      ++left_out;
      continue;
    }
    optimizer.apply_gradients(gradients, {weights, bias});
  }
  std::printf("left out %d\n", left_out);
  report("weights", gradients[0]);
  report("bias", gradients[1]);
}
