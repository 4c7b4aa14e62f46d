// Speed of a glacier in mixed precision with the loss scaled; the scale is a power of two and checked at each
// step.
#include "report.h"

using namespace tapescope;

int main() {
  const DTypePolicy policy = DTypePolicy::named("mixed_float16");
  Dense hidden(16, {.activation = Activation::tanh, .name = "hidden", .seed = 8, .dtype = policy});
  Dense speed(1, {.name = "speed", .seed = 8, .dtype = policy});
  hidden.build({12, 5});
  speed.build({12, 16});
  const Tensor slopes = stateless_random_normal({12, 5}, {37, 1}).named("slopes");
  const Tensor measured = 0.1 * reduce_sum(slopes, 1, true);
  const std::vector<Variable> variables = {hidden.kernel(), hidden.bias(), speed.kernel(), speed.bias()};
  const std::vector<Traced> sources(variables.begin(), variables.end());
  LossScale loss_scale({.initial_scale = 1024});
  SGD optimizer(0.05);
  MeanSquaredError loss_fn;
  std::vector<Tensor> gradients;
  for (int season = 0; season < 5; ++season) {
    GradientTape tape;
    Tensor loss, scaled;
    {
      auto recording = tape.record();
      loss = loss_fn(measured, speed(hidden(slopes)));
      scaled = loss_scale.scale_loss(loss);
    }
    gradients = tape.gradient(scaled, sources);
    loss_scale.apply_gradients(optimizer, gradients, variables);
  }
  std::printf("skipped %lld\n", static_cast<long long>(loss_scale.skipped_steps()));
  report("hidden/kernel", gradients[0]);
  report("speed/kernel", gradients[2]);
}
