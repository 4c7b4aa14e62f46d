// Names plankton in photographs. How sure the labels are is learned along with the classes.
#include "report.h"

using namespace tapescope;

constexpr int kClasses = 4;

Tensor confidence(const Variable& doubt) { return 1.0 - (kClasses - 1) * sigmoid(doubt) / kClasses; }

Tensor soft_labels(const Tensor& species, const Variable& doubt, bool blended) {
  const Tensor sure = confidence(doubt);
  const Tensor rest = (1.0 - sure) / (kClasses - 1.0);
  if (blended) return one_hot(species, kClasses) * (sure - rest) + rest;
  return one_hot(species, kClasses, sure, rest);  //!
}

int main(int argc, char**) {
  const Variable filters(reshape(sin(linspace(0.0, 9.0, 24)), {6, kClasses}), {.name = "filters"});
  const Variable doubt(-2.0, {.name = "doubt"});
  const Tensor photos = reshape(cos(linspace(0.0, 14.0, 30)), {5, 6});
  const Tensor species = argmax(photos(all, range(0, kClasses)), 1);
  Adam optimizer(0.02);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 5; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor wanted = soft_labels(species, doubt, argc > 1);  //~
      loss = reduce_mean(softmax_cross_entropy_with_logits(wanted, matmul(photos, filters)));
    }
    gradients = tape.gradient(loss, {filters, doubt});
    optimizer.apply_gradients(gradients, {filters, doubt});
  }
  report("filters", gradients[0]);
  report("doubt", gradients[1]);
}
