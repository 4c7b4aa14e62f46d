// Drones count kelp from the air: a block of two layers that adds its input again, and a head.
#include "report.h"

using namespace tapescope;

namespace kelp {

class Residual : public Layer {
 public:
  Residual(std::string name, bool listed) : Layer(std::move(name)), listed_(listed) {}
  std::vector<Layer*> sublayers() override {
    if (!listed_) return Layer::sublayers();  //~
    return {&first_, &second_};
  }

 private:
  Tensor call(const Tensor& x, const Location&) override { return x + second_(first_(x)); }

  bool listed_;
  Dense first_{6, {.activation = Activation::gelu, .name = "first"}};
  Dense second_{4, {.use_bias = false, .name = "second"}};
};

}  // namespace kelp

int main(int argc, char**) {
  kelp::Residual block("block", argc > 1);
  const Tensor strips = reshape(sin(linspace(0.0, 9.0, 24)), {6, 4}), kelp_seen = cos(linspace(0.0, 2.0, 6));
  RMSprop optimizer(0.01);
  std::map<std::string, Tensor> last;
  for (int flight = 0; flight < 2; ++flight) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = Huber(0.5)(kelp_seen, reduce_mean(block(strips), 1));
    }
    const auto variables = block.trainable_variables();  //~
    const auto gradients = tape.gradient(loss, variables);  //!
    try {
      optimizer.apply_gradients(gradients, variables);
    } catch (const Error& error) {
      report_error(error);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) last[std::string(variables[i].name())] = gradients[i];
  }
  for (const auto& [name, gradient] : last) report(name, gradient);
}
