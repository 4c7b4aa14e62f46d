// A dryer in the sun: gradients of its parts are asked one after the other.
#include "report.h"

using namespace tapescope;

class Dryer {
 public:
  std::map<std::string, Variable> parts;
  Dryer() {
    for (const char* name : {"glass", "black", "fan", "tray"})
      parts.emplace(name, Variable(0.3 + 0.05 * cos(linspace(0.0, 3.0 + parts.size(), 60)), {.name = name}));
  }
  Tensor moist(const Tensor& fruit) const {
    Tensor wet = fruit;
    for (const auto& [name, part] : parts) wet = wet * exp(-square(part)) + 0.01 * tanh(part);
    return reduce_mean(square(wet - 0.2));
  }
};

int main(int argc, char**) {
  const Dryer dryer;
  std::map<std::string, Tensor> slopes;
  for (int hour = 0; hour < 4; ++hour) {
    GradientTape tape({.persistent = argc == 1});  //~
    Tensor loss;
    {
      auto recording = tape.record();
      loss = dryer.moist(linspace(0.5, 0.9, 60));
    }
    if (argc > 1) {
      slopes = tape.gradient(loss, std::map<std::string, Traced>(dryer.parts.begin(), dryer.parts.end()));
    } else {
      for (const auto& [name, part] : dryer.parts) slopes[name] = tape.gradient(loss, part);  //!
    }
    for (const auto& [name, part] : dryer.parts) part.assign_sub(0.1 * slopes.at(name));
  }
  for (const auto& [name, slope] : slopes) report(name, slope);
}
