// Stages of sleep from two sensors; the second one is not worn every night.
#include "report.h"

using namespace tapescope;

struct Night {
  Tensor movement, pulse;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable by_movement(constant(0.8), {.name = "by_movement"}),
      by_pulse(constant(0.3), {.name = "by_pulse"});
  const Function stage("stage",
                       [&](const Tensor& movement, const Value& pulse) {
                         Tensor depth = by_movement * movement;
                         if (pulse.kind() == Value::Kind::tensor) depth = depth - by_pulse * pulse.tensor();
                         return reduce_mean(sigmoid(depth));
                       },
                       {.arguments = {"movement", "pulse"}});

  const Tensor unworn = fixed ? zeros({3}) : Tensor();  //~
  const Night nights[] = {{constant({0.2, 0.1, 0.7}), constant({0.5, 0.4, 0.9})},
                          {constant({0.3, 0.3, 0.2}), unworn},
                          {constant({0.1, 0.5, 0.6}), constant({0.6, 0.5, 0.8})}};
  for (const Night& night : nights) {
    const Tensor depth = stage(night.movement, night.pulse);  //!
    std::printf("depth %.2f\n", element(depth, 0));
  }
  report_traces(stage);
}
