// Fits a new last layer for sick plants on a network that was trained before and stays as it is.
#include "report.h"

using namespace tapescope;

int main() {
  Sequential backbone(Dense(16, {.activation = Activation::relu, .name = "leaf", .seed = 5}),
                      Dense(8, {.activation = Activation::relu, .name = "vein", .seed = 5}));
  Dense head(3, {.name = "diagnosis", .seed = 6});
  backbone.build({10, 12});
  backbone.set_trainable(false);
  head.build({10, 8});
  const Tensor plants = stateless_random_uniform({10, 12}, {35, 1}).named("plants");
  const std::vector<std::int32_t> known = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0};
  const Tensor sickness = constant(std::span<const std::int32_t>(known), {10});
  SparseCategoricalCrossentropy loss_fn(true);
  Adam optimizer(0.01);

  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 10; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_fn(sickness, head(backbone(plants)));
    }
    gradients = tape.gradient(loss, {head.kernel(), head.bias()});
    optimizer.apply_gradients(gradients, {head.kernel(), head.bias()});
    if (epoch % 5 == 4) std::printf("epoch %d: %.3f\n", epoch + 1, item(loss));
  }
  report("diagnosis/kernel", gradients[0]);
  report("diagnosis/bias", gradients[1]);
}
