// Fits an orbit's shape. The observer's place is a constant of the mission and is not to be learned; the drag
// is.
#include "report.h"

using namespace tapescope;

struct Mission {
  Variable shape{constant({1.2, 0.1}), {.name = "shape"}};
  Variable drag;
  Variable observer{constant({0.3, -0.2}), {.name = "observer", .trainable = false}};

  explicit Mission(bool learned) : drag(constant(0.02), {.name = "drag", .trainable = learned}) {}  //~

  Tensor track(const Tensor& times) const {
    const Tensor radius = at(shape, 0) * (1.0 - at(shape, 1) * cos(times)) * exp(-drag * times);  //!
    return stack({radius * cos(times) - at(observer, 0), radius * sin(times) - at(observer, 1)}, 1);
  }
};

class Fit {
 public:
  Fit(const Mission& mission, Tensor times, Tensor seen) : mission_(mission), times_(times), seen_(seen) {}

  std::map<std::string, Tensor> round() {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(mission_.track(times_) - seen_));
    }
    return tape.gradient(miss, {{"shape", mission_.shape}, {"drag", mission_.drag}});
  }

 private:
  const Mission& mission_;
  Tensor times_, seen_;
};

int main(int argc, char**) {
  const Mission mission(argc > 1);
  const Tensor times = linspace(0.0, 3.0, 7);
  Fit fit(mission, times, stack({cos(times), sin(times)}, 1));
  std::map<std::string, Tensor> gradients;
  for (int round = 0; round < 3; ++round) {
    gradients = fit.round();
    mission.shape.assign_sub(0.1 * gradients.at("shape"));
  }
  report("shape", gradients.at("shape"));
  report("drag", gradients.at("drag"));
}
