// Calibrates a classifier's confidence with one temperature.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable temperature(constant(1.5), {.name = "temperature"}),
      bias(constant({0.1, 0.0, -0.1}), {.name = "bias"});
  const Tensor logits = constant({{3.1, 0.2, -1.0}, {0.4, 2.6, 0.3}, {1.1, 0.9, 1.4}});
  const Tensor truth = constant({0, 1, 0}, DType::i32);
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const double cooled = item(exp(temperature));  //!
    const Tensor scaled = fixed ? logits / exp(temperature) : logits / cooled;  //~
    loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(truth, scaled + bias));
  }
  const auto gradients = tape.gradient(loss, {temperature, bias});
  report("temperature", gradients[0]);
  report("bias", gradients[1]);
}
