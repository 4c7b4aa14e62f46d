// Warns of auroras from magnetometers, in half precision. The loss scale starts high and finds its size
// itself.
#include "report.h"

using namespace tapescope;

class Watch {
 public:
  Watch() { net_.build({8, 5}); }
  Tensor loss(const Tensor& field, const Tensor& seen) {
    const Tensor chance = cast(net_(field), DType::f32);
    return reduce_mean(sigmoid_cross_entropy_with_logits(seen, squeeze(chance, 1)));
  }
  std::vector<Variable> variables() { return net_.trainable_variables(); }

 private:
  static DTypePolicy half() { return DTypePolicy::named("mixed_float16"); }
  Sequential net_{Dense(6, {.activation = Activation::relu, .name = "field", .dtype = half()}),
                  Dense(1, {.name = "chance", .dtype = half()})};
};

int main() {
  Watch watch;
  Adam optimizer(0.01);
  LossScale scale({.initial_scale = 1048576, .dynamic_growth_steps = 50});
  const Tensor field = reshape(sin(linspace(0.0, 30.0, 40)), {8, 5});
  const Tensor seen = constant({1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0});
  const auto variables = watch.variables();
  std::vector<Tensor> gradients;
  for (int night = 0; night < 12; ++night) {
    GradientTape tape;
    Tensor scaled;
    {
      auto recording = tape.record();
      scaled = scale.scale_loss(watch.loss(field, seen));
    }
    gradients = tape.gradient(scaled, variables);
    if (!scale.apply_gradients(optimizer, gradients, variables)) std::printf("night %d is skipped\n", night);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) report(variables[i].name(), gradients[i]);
}
