// Turns a vane by relays that only know left and right. How the relays are weighted is learned in a traced
// step.
#include "report.h"

using namespace tapescope;

class Vane {
 public:
  explicit Vane(bool hard) : hard_(hard) {}
  Variable relays{{0.4, -0.3, 0.2}, {.name = "relays"}};
  Variable friction{0.3, {.name = "friction"}};

  Tensor turned(const Tensor& winds) const {
    Tensor angle = zeros({winds.dim(0)});
    for (int i = 0; i < 4; ++i) {
      const Tensor pull = matvec(winds, relays) - angle;
      angle = angle + 0.3 * relay(pull) - 0.1 * friction * angle;
    }
    return angle;
  }

 private:
  Tensor relay(const Tensor& pull) const {
    return hard_ ? sign(pull) : tanh(4.0 * pull);  //!
  }
  bool hard_;
};

int main(int argc, char**) {
  const Vane vane(argc == 1);  //~
  const Function step("step", [&](const Tensor& winds, const Tensor& wanted) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(vane.turned(winds) - wanted));
    }
    auto gradients = tape.gradient(miss, {vane.relays, vane.friction});
    vane.friction.assign_sub(0.1 * gradients[1]);
    return gradients;
  });
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 3; ++hour)
    gradients = step(reshape(cos(linspace(hour, 7.0, 15)), {5, 3}), linspace(-0.5, 0.5, 5));
  report("relays", gradients[0]);
  report("friction", gradients[1]);
}
