// Learns to steer: the rudder turns at most thirty degrees, whatever the helm asks for.
#include "report.h"

using namespace tapescope;

class Helm {
 public:
  Variable gain{constant({80.0, 35.0}), {.name = "gain"}};

  Tensor rudder(const Tensor& headings, double scale) const {
    const Tensor asked = scale * matvec(headings, gain);  //~
    return clip_by_value(asked, -0.52, 0.52);  //!
  }
};

int main(int argc, char**) {
  const Helm helm;
  const Tensor headings = constant({{0.4, 0.1}, {-0.3, -0.2}, {0.2, 0.5}}),
               drift = constant({0.1, -0.2, 0.15});
  SGD optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int minute = 0; minute < 3; ++minute) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(helm.rudder(headings, argc > 1 ? 0.005 : 1.0) - drift));
    }
    gradients = tape.gradient(loss, {helm.gain});
    optimizer.apply_gradients(gradients, {helm.gain});
  }
  report("gain", gradients[0]);
}
