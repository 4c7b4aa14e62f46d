// Trains with a compiled function whose fused loops are noted in the recording, and ends with its result.
// With an argument the loops are fused, but no machine code is made of them.
#include <cstdio>

#include "engine/tapescope.h"

using namespace tapescope;

int main(int argc, char**) {
  const Variable scale(constant(0.5), {.name = "scale"});
  const Tensor x = ones({2000});
  const Function forward(
      "forward", [&](const Tensor& input) { return reduce_mean(square(tanh(input * scale) - 0.25)); },
      {.optimize = {.compiled = argc == 1}});
  for (std::uint64_t step = 0; step < 6; ++step) {
    note_step_begin(step);
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      loss = forward(x);
    }
    scale.assign_sub(tape.gradient(loss, scale) * 0.1);
    note_scalar("loss", element(loss, 0), step);
    note_step_end(step);
  }
  std::printf("scale %.4f\n", element(scale.value(), 0));
}
