// A layer of neurons whose leak below the threshold is meant to be learned.
#include "report.h"

using namespace tapescope;

class LeakyDense : public Layer {
 public:
  explicit LeakyDense(bool learned) : Layer("leaky"), learned_(learned) {}
  std::vector<Layer*> sublayers() override { return {&dense_}; }
  const Variable& leak() const { return leak_; }
  const Variable& kernel() const { return dense_.kernel(); }

 private:
  void make_variables(const Shape&, const Location& location) override {
    leak_ = add_variable("leak", constant(0.15), location);
  }
  Tensor call(const Tensor& currents, const Location&) override {
    const Tensor drive = dense_(currents);
    if (learned_) return maximum(drive, leak_ * drive);
    const double slope = item(leak_.value());  //~
    return leaky_relu(drive, slope);  //!
  }

  bool learned_;
  Dense dense_{4, {.name = "drive"}};
  Variable leak_;
};

int main(int argc, char**) {
  LeakyDense neurons(argc > 1);
  const Tensor currents = constant({{0.5, -0.8, 0.2}, {-0.4, 0.9, 0.7}}),
               rates = constant({{0.3, 0.1, 0.0, 0.2}, {0.0, 0.4, 0.1, 0.1}});
  neurons.build(currents.shape());
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = MeanSquaredError()(rates, neurons(currents, true));
  }
  const auto gradients = tape.gradient(loss, {neurons.leak(), neurons.kernel()});
  report(neurons.leak().name(), gradients[0]);
  report(neurons.kernel().name(), gradients[1]);
}
