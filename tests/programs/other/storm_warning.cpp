// Warns of storms; how sure the warning is comes from many passes with dropout.
#include "report.h"

using namespace tapescope;

class Warning {
 public:
  Variable hidden{reshape(sin(linspace(0.0, 40.0, 20 * 64)) * 0.3, {20, 64}), {.name = "hidden"}};
  Variable alarm{reshape(cos(linspace(0.0, 11.0, 64)) * 0.2, {64, 1}), {.name = "alarm"}};

  Tensor logits(const Tensor& sky) const { return matmul(relu(matmul(dropout(sky, 0.3), hidden)), alarm); }
};

int main() {
  const Warning model;
  const Tensor sky = reshape(sin(linspace(0.0, 100.0, 50 * 20)), {50, 20});
  const Tensor storm = cast(reshape(cos(linspace(0.0, 20.0, 50)), {50, 1}) > 0.5, DType::f32);
  std::vector<Tensor> gradients;
  for (int month = 0; month < 5; ++month) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(storm, model.logits(sky)));
    }
    gradients = tape.gradient(loss, {model.hidden, model.alarm});
    model.hidden.assign_sub(0.1 * gradients[0]);
    model.alarm.assign_sub(0.1 * gradients[1]);
    std::vector<Tensor> passes;
    for (int pass = 0; pass < 4; ++pass) passes.push_back(sigmoid(model.logits(sky)));
    std::printf("month %d: unsure by %.3f\n", month, item(reduce_mean(reduce_std(stack(passes), 0))));
  }
  report("hidden", gradients[0]);
  report("alarm", gradients[1]);
}
