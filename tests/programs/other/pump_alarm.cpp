// Warns of a failing pump: one logit for each hour from its pressure in pascal.
#include "report.h"

using namespace tapescope;

class Alarm : public Layer {
 public:
  explicit Alarm(double unit) : Layer("alarm"), unit_(unit) {}

 protected:
  void make_variables(const Shape&, const Location& location) override {
    slope_ = add_variable("slope", constant(-0.5), location);
    level_ = add_variable("level", constant(0.0), location);
  }
  Tensor call(const Tensor& pressure, const Location&) override {
    return slope_ * ((pressure - 95000.0) / unit_) + level_;  //~
  }

 private:
  double unit_;  // pascal
  Variable slope_, level_;
};

int main(int argc, char**) {
  Alarm alarm(argc > 1 ? 10000.0 : 1.0);  //~
  const Tensor pressure = constant({101300.0, 98000.0, 91000.0, 112000.0, 88500.0}).named("pressure");
  const Tensor failed = constant({0.0, 0.0, 1.0, 0.0, 1.0}).named("failed");
  alarm.build({5});
  const std::vector<Variable> variables = alarm.trainable_variables();
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor logits = alarm(pressure);
    loss = reduce_mean(sigmoid_cross_entropy_with_logits(failed, logits));  //!
  }
  const auto gradients = tape.gradient(loss, {variables[0], variables[1]});
  report(variables[0].name(), gradients[0]);
  report(variables[1].name(), gradients[1]);
}
