// A chain of audio effects, each a lambda, whose settings are learned from a reference.
#include <functional>

#include "report.h"

using namespace tapescope;

using Effect = std::function<Tensor(const Tensor&)>;

Tensor through(const std::vector<Effect>& chain, Tensor sound) {
  for (const Effect& effect : chain) sound = effect(sound);
  return sound;
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable drive(constant(1.8), {.name = "drive"}), mix(constant(0.6), {.name = "mix"});
  const Effect distort = [&](const Tensor& s) { return tanh(drive * s); };
  const Effect crush = [](const Tensor& s) { return round(s * 16.0) / 16.0; };  //!
  const Effect soft_crush = [](const Tensor& s) { return s + sin(100.5 * s) / 100.5; };
  const Effect blend = [&](const Tensor& s) { return mix * s + (1.0 - mix) * square(s); };

  const Tensor dry = constant({0.05, 0.3, -0.2, 0.6, -0.5}),
               reference = constant({0.1, 0.4, -0.1, 0.7, -0.3});
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    const std::vector<Effect> chain = {distort, fixed ? soft_crush : crush, blend};
    apart = reduce_mean(square(through(chain, dry) - reference));
  }
  const auto gradients = tape.gradient(apart, {drive, mix});
  report("drive", gradients[0]);
  report("mix", gradients[1]);
}
