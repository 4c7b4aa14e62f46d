// Tension of a rope over a pulley, with a friction whose gradient is limited.
#include "report.h"

using namespace tapescope;

const CustomGradient kGentle = custom_gradient("gentle", [](std::span<const Tensor> in) {
  return WithGradient{.outputs = {in[0] * in[1]}, .gradient = [limit = in[1]](std::span<const Tensor> dy) {
                        return std::vector{clip_by_value(dy[0] * limit, -1.0, 1.0), Tensor()};
                      }};
});

struct Rope {
  Variable friction{constant(0.3), {.name = "friction"}};
  Variable weight{constant(12.0), {.name = "weight"}};  //~
  Variable angle{constant(1.2), {.name = "angle"}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Rope rope;
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    const Tensor load = 0.5 * rope.weight;  //~
    const Tensor grip = kGentle(rope.friction * rope.angle, constant(1.1));
    const Tensor tension = (fixed ? load : constant(6.0)) * exp(grip);  //~
    misfit = square(tension - 9.5);  //!
  }
  const auto gradients = tape.gradient(misfit, {rope.friction, rope.weight, rope.angle});
  report("friction", gradients[0]);
  report("weight", gradients[1]);
  report("angle", gradients[2]);
}
