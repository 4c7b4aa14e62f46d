// Tunes the strings of a harp by a function that was traced with the first concert pitch.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable tension(constant({1.0, 1.1, 1.3}), {.name = "tension"});
  const Tensor lengths = constant({0.9, 0.7, 0.5});
  Tensor pitch = constant(0.44).named("pitch");
  const Function misfit("misfit", [&](const Tensor& wanted) {
    return reduce_mean(square(sqrt(tension) / lengths - wanted / pitch));  //!
  });
  const Function misfit_at("misfit_at", [&](const Tensor& wanted, const Tensor& at) {
    return reduce_mean(square(sqrt(tension) / lengths - wanted / at));
  });
  const Tensor wanted = constant({0.5, 0.6, 0.9});
  std::vector<Tensor> gradients;
  for (int concert = 0; concert < 2; ++concert) {
    if (concert == 1) pitch = constant(0.442).named("pitch");  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(pitch);
      loss = fixed ? misfit_at(wanted, pitch) : misfit(wanted);  //~
    }
    gradients = tape.gradient(loss, {tension, pitch});
  }
  report("tension", gradients[0]);
  report("pitch", gradients[1]);
}
