// The crossover of a loudspeaker with three ways, tuned so that its response is flat.
#include "report.h"

using namespace tapescope;

class Way {
 public:
  Way(const std::string& name, double corner, double gain)
      : corner(constant(corner), {.name = name + "/corner"}),
        gain(constant(gain), {.name = name + "/gain"}) {}
  Variable corner, gain;

  Tensor response(const Tensor& octaves) const {
    return gain * exp(-0.5 * square(octaves - corner));  //!
  }
};

class Loudspeaker {
 public:
  explicit Loudspeaker(double tweeter_level) {
    ways.emplace_back("woofer", 2.0, 0.8);
    ways.emplace_back("midrange", 4.5, 0.7);
    ways.emplace_back("tweeter", 7.0, tweeter_level);  //~
  }
  Tensor response(const Tensor& octaves) const {
    Tensor sum;
    for (const Way& way : ways) sum = sum ? sum + way.response(octaves) : way.response(octaves);
    return sum;
  }
  std::vector<Way> ways;
};

int main(int argc, char**) {
  // The tweeter comes in slowly, from silence on.
  const Loudspeaker speaker(argc > 1 ? 0.1 : 0.0);  //~
  const Tensor octaves = linspace(1.0, 8.0, 15);
  std::vector<Variable> corners;
  for (const Way& way : speaker.ways) corners.push_back(way.corner);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 3; ++pass) {
    GradientTape tape;
    Tensor unevenness;
    {
      auto recording = tape.record();
      unevenness = reduce_variance(speaker.response(octaves));
    }
    gradients = tape.gradient(unevenness, corners);
    for (std::size_t i = 0; i < corners.size(); ++i) corners[i].assign_sub(0.5 * gradients[i]);
  }
  for (std::size_t i = 0; i < corners.size(); ++i) report(corners[i].name(), gradients[i]);
}
