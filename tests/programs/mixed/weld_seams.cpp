// Rates weld seams by features that are scaled to the spread of the batch.
#include "report.h"

using namespace tapescope;

Tensor standardized(const Tensor& features, double least) {
  const Tensor centred = features - reduce_mean(features, 0);
  const Tensor spread = sqrt(reduce_mean(square(centred), 0));  //~
  return centred / (spread + least);  //!
}

int main(int argc, char**) {
  const double least = argc > 1 ? 1e-3 : 0.0;
  const Variable weights(constant({0.3, -0.4, 0.2}), {.name = "weights"});
  const Variable bias(0.1, {.name = "bias"});
  SGD optimizer(0.1);
  std::vector<Tensor> gradients;
  const Tensor lots[] = {constant({{1.0, 0.2, 5.0}, {0.4, 0.9, 4.0}, {0.7, 0.1, 6.0}}),
                         constant({{0.9, 0.3, 5.0}, {0.2, 0.8, 5.0}, {0.5, 0.6, 5.0}})};
  const Tensor good = constant({1.0, 0.0, 1.0});
  for (const Tensor& lot : lots) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor logits = matvec(standardized(lot, least), weights) + bias;
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(good, logits));
    }
    gradients = tape.gradient(loss, {weights, bias});
    optimizer.apply_gradients(gradients, {weights, bias});
  }
  report("weights", gradients[0]);
  report("bias", gradients[1]);
}
