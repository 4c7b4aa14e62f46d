// Spiking neurons: a step in the forward pass, a bump in its place in the backward pass.
#include "report.h"

using namespace tapescope;

class SpikeLayer : public Layer {
 public:
  explicit SpikeLayer(bool complete)
      : Layer("spikes"), spike_(custom_gradient("spike", [this, complete](std::span<const Tensor> in) {
          const Tensor over = in[0] - threshold_;
          return WithGradient{
              .outputs = {cast(over > 0.0, DType::f32)},
              .variable_gradient = [over, complete](std::span<const Tensor> dy, std::span<const Variable>) {
                const Tensor bump = dy[0] / square(1.0 + 4.0 * abs(over));
                const Tensor by_threshold = complete ? -reduce_sum(bump, 0) : Tensor();  //!
                return VariableGradients{{bump}, {by_threshold}};
              }};
        })) {}
  std::vector<Layer*> sublayers() override { return {&synapses_}; }
  const Variable& threshold() const { return threshold_; }
  const Variable& synapses() const { return synapses_.kernel(); }

 private:
  void make_variables(const Shape&, const Location& location) override {
    threshold_ = add_variable("threshold", constant({0.2, 0.3, 0.1}), location);
  }
  Tensor call(const Tensor& x, const Location&) override { return spike_(synapses_(x)); }  //~

  Dense synapses_{3, {.name = "synapses"}};
  Variable threshold_;
  CustomGradient spike_;
};

int main(int argc, char**) {
  SpikeLayer layer(argc > 1);
  const Tensor inputs = constant({{0.4, 0.9}, {1.1, -0.3}}),
               wanted = constant({{1.0, 0.0, 1.0}, {0.0, 1.0, 0.0}});
  layer.build(inputs.shape());
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(layer(inputs, true) - wanted * 0.5));
  }
  const auto gradients = tape.gradient(loss, {layer.synapses(), layer.threshold()});
  report(layer.synapses().name(), gradients[0]);
  report(layer.threshold().name(), gradients[1]);
}
