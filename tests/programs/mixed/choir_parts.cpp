// Mixes the parts of a choir; a temperature falls from rehearsal to rehearsal.
#include "report.h"

using namespace tapescope;

class Choir {
 public:
  Variable parts{constant({0.5, 0.1, -0.3, 0.4}), {.name = "parts"}};

  Tensor mix(const Tensor& voices, const Tensor& temperature) const {
    return matvec(voices, softmax(parts / temperature));
  }
};

int main(int argc, char**) {
  const bool as_tensor = argc > 1;
  const Choir choir;
  const Tensor voices = reshape(sin(linspace(0.0, 17.0, 32)), {8, 4}), wanted = cos(linspace(0.0, 2.0, 8));
  const Function<Tensor(const Tensor&, double)> by_number(
      "rehearse",
      [&](const Tensor& sound, double temperature) {
        return reduce_mean(square(choir.mix(sound, constant(temperature)) - wanted));
      },
      {.arguments = {"sound", "temperature"}});
  const Function<Tensor(const Tensor&, const Tensor&)> by_tensor(
      "rehearse", [&](const Tensor& sound, const Tensor& temperature) {
        return reduce_mean(square(choir.mix(sound, temperature) - wanted));
      });
  Tensor gradient;
  double temperature = 2.0;
  for (int evening = 0; evening < 5; ++evening, temperature *= 0.5) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = as_tensor ? by_tensor(voices, constant(temperature)) : by_number(voices, temperature);  //!
    }
    gradient = tape.gradient(loss, choir.parts);
    choir.parts.assign_sub(0.5 * gradient);
  }
  report("parts", gradient);
  if (as_tensor) report_traces(by_tensor);
  else report_traces(by_number);
}
