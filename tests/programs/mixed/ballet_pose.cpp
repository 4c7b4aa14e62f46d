// Fits the pose of a dancer to marks on a film, limb by limb along a chain of joints.
#include "report.h"

using namespace tapescope;

class Dancer {
 public:
  std::vector<Variable> joints;
  Variable limb{{0.5, 0.4, 0.3}, {.name = "limb"}};

  Dancer() {
    for (const char* name : {"hip", "knee", "foot"})
      joints.emplace_back(0.2 * sin(linspace(joints.size() + 1.0, 9.0, 4000)), VariableOptions{.name = name});
  }

  Tensor miss(const Tensor& film) const {
    Tensor angle = zeros({4000}), place = zeros({4000});
    for (std::size_t i = 0; i < joints.size(); ++i) {
      angle = angle + joints[i];
      place = place + limb[static_cast<int>(i)] * sin(angle);
    }
    return reduce_mean(square(place - film));
  }
  std::vector<Traced> sources() const {
    std::vector<Traced> all(joints.begin(), joints.end());
    all.emplace_back(limb);
    return all;
  }
};

int main(int argc, char**) {
  const Dancer dancer;
  const Tensor film = 0.6 * sin(linspace(0.0, 30.0, 4000));
  std::vector<Tensor> gradients;
  double kept = 0;
  for (int pass = 0; pass < 4; ++pass) {
    GradientTape tape({.persistent = argc == 1});  //!
    Tensor miss;
    {
      auto recording = tape.record();
      miss = dancer.miss(film);
    }
    gradients = tape.gradient(miss, dancer.sources());  //~
    kept += static_cast<double>(tape.counts().saved_bytes);
    for (std::size_t i = 0; i < dancer.joints.size(); ++i) dancer.joints[i].assign_sub(0.5 * gradients[i]);
  }
  report_cost("kept_bytes", kept);
  report("hip", gradients[0]);
  report("knee", gradients[1]);
  report("foot", gradients[2]);
  report("limb", gradients[3]);
}
