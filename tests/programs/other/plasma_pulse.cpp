// Fits the growth of a plasma pulse; the fit runs well for a while.
#include "report.h"

using namespace tapescope;

class Pulse {
 public:
  Variable rate{constant(0.3), {.name = "rate"}};
  Variable height{constant(1.0), {.name = "height"}};

  Tensor operator()(const Tensor& time) const {
    return height * exp(rate * time);  //!
  }
};

struct Fit {
  Pulse pulse;
  Tensor time = constant({0.0, 1.0, 2.0, 4.0, 8.0}).named("time");
  Tensor seen = constant({1.1, 1.9, 3.3, 10.0, 95.0}).named("seen");

  std::vector<Tensor> step(double learning_rate) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(pulse(time) - seen));
    }
    std::vector<Tensor> gradients = tape.gradient(loss, {pulse.rate, pulse.height});
    pulse.rate.assign_sub(learning_rate * gradients[0]);  //~
    pulse.height.assign_sub(learning_rate * gradients[1]);  //~
    return gradients;
  }
};

int main(int argc, char**) {
  Fit fit;
  std::vector<Tensor> gradients;
  for (int step = 0; step < 30; ++step) {
    const double warm_up = 1e-7 * (step + 1);
    gradients = fit.step(argc > 1 || step < 20 ? warm_up : 0.01);  //~
  }
  report("rate", gradients[0]);
  report("height", gradients[1]);
}
