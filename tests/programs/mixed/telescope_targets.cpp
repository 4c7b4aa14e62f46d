// Which targets a telescope takes tonight: a soft choice by height, brightness and moonlight.
#include "report.h"

using namespace tapescope;

struct Night {
  Tensor height, magnitude, moon;  // degrees, magnitudes, degrees to the moon
};

class Chooser {
 public:
  explicit Chooser(double sharpness) : sharpness_(sharpness) {}
  Variable weights{constant({0.5, -0.2, 0.3}), {.name = "weights"}};
  Variable bar{constant(1.0), {.name = "bar"}};
  Variable worth{constant(0.6), {.name = "worth"}};

  Tensor taken(const Night& night) const {
    const Tensor table = stack({night.height, night.magnitude, night.moon}, 1);
    return sigmoid(sharpness_ * (matvec(table, weights) - bar));  //!
  }

 private:
  double sharpness_;
};

Night scaled(const Night& night) {
  return {night.height / 90.0, (night.magnitude - 10.0) / 5.0, night.moon / 180.0};
}

int main(int argc, char**) {
  const Chooser chooser(8.0);  //~
  const Tensor gained = constant({0.2, 0.9, 0.4, 0.7, 0.1, 0.8});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    Night night{linspace(35.0, 80.0, 6), linspace(9.0, 14.0, 6), linspace(60.0, 150.0 - day, 6)};  //~
    if (argc > 1) night = scaled(night);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(chooser.worth * chooser.taken(night) - gained));  //~
    }
    gradients = tape.gradient(loss, {chooser.weights, chooser.bar, chooser.worth});
    chooser.weights.assign_sub(0.1 * gradients[0]);
    chooser.worth.assign_sub(0.1 * gradients[2]);
  }
  report("weights", gradients[0]);
  report("bar", gradients[1]);
  report("worth", gradients[2]);
}
