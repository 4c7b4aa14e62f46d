// Decides from pressure whether a rocket's valve opens; chance of opening against what the logs show.
#include "report.h"

using namespace tapescope;

class ValveModel : public Layer {
 public:
  ValveModel() : Layer("valve") {}
  const Variable& gain() const { return gain_; }
  const Variable& onset() const { return onset_; }

 protected:
  void make_variables(const Shape&, const Location& location) override {
    gain_ = add_variable("gain", constant(4.0), location);
    onset_ = add_variable("onset", constant(-6.0), location);
  }
  Tensor call(const Tensor& bar, const Location&) override { return gain_ * bar + onset_; }

 private:
  Variable gain_, onset_;
};

Tensor cross_entropy(const Tensor& opened, const Tensor& logits, bool fixed) {
  if (fixed) return reduce_mean(sigmoid_cross_entropy_with_logits(opened, logits));
  const Tensor chance = sigmoid(logits);  //~
  const Tensor open_part = opened * log(chance);
  const Tensor shut_part = (1.0 - opened) * log(1.0 - chance);  //!
  return -reduce_mean(open_part + shut_part);
}

int main(int argc, char**) {
  ValveModel model;
  const Tensor bar = constant({0.4, 1.1, 2.2, 9.0}).named("bar"),
               opened = constant({0.0, 0.0, 1.0, 1.0}).named("opened");
  model.build({4});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = cross_entropy(opened, model(bar), argc > 1);
  }
  const auto gradients = tape.gradient(loss, {model.gain(), model.onset()});
  report("valve/gain", gradients[0]);
  report("valve/onset", gradients[1]);
}
