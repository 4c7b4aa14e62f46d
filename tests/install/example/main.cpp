// Fits a line in 50 steps, or as many as the argument says, and asks for a gradient that is None: `offset` is
// read before the tape records.
#include <cstdio>
#include <cstdlib>

#include "engine/tapescope.h"

using namespace tapescope;

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50;
  const Tensor x = constant({0.0, 1.0, 2.0, 3.0}), y = constant({1.0, 3.0, 5.0, 7.0});
  const Variable slope(constant(0.0), {.name = "slope"}), offset(constant(0.0), {.name = "offset"});
  for (std::uint64_t step = 0; step < steps; ++step) {
    note_step_begin(step, 0);
    const Tensor shift = offset + 1.0;
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(x * slope + shift - y));
    }
    const auto gradients = tape.gradient(loss, {slope, offset});
    slope.assign_sub(gradients[0] * 0.05);
    note_scalar("loss", element(loss, 0), step);
    note_step_end(step, 0, false);
    if (step == 0) std::printf("offset: %s\n", tape.explain(loss, offset).message.c_str());
  }
  std::printf("slope %.3f\n", element(slope.value(), 0));
}
