// The load of a crane swings; its winch is steered by a small policy, through a simulator with its own
// gradient.
#include "report.h"

using namespace tapescope;

struct Policy {
  Variable gain{constant({0.4, 0.2}), {.name = "gain"}};
  Variable trim{constant(0.1), {.name = "trim"}};

  Tensor force(const Tensor& state) const { return reduce_sum(state * gain) + trim; }
};

// The next state of angle and speed; the simulator gives derivatives by the state and by the force.
CustomGradient simulator(bool whole) {
  return custom_gradient("swing", [whole](std::span<const Tensor> x) {
    const Tensor &state = x[0], &force = x[1];
    const Tensor angle = at(state, 0), speed = at(state, 1);
    const Tensor faster = speed - 0.1 * sin(angle) + 0.05 * force;
    return WithGradient{.outputs = {stack({angle + 0.1 * faster, faster})},
                        .gradient = [whole, angle](std::span<const Tensor> dy) {
                          const Tensor by_angle = at(dy[0], 0), by_speed = at(dy[0], 1) + 0.1 * by_angle;
                          const Tensor back = stack({by_angle - 0.1 * cos(angle) * by_speed, by_speed});
                          if (!whole) return std::vector<Tensor>{back, Tensor()};  //!
                          return std::vector<Tensor>{back, 0.05 * by_speed};
                        }};
  });
}

int main(int argc, char**) {
  const Policy policy;
  const CustomGradient swing = simulator(argc > 1);
  Variable start(constant({0.5, 0.0}), {.name = "start"});
  GradientTape tape;
  Tensor cost = constant(0.0);
  {
    auto recording = tape.record();
    Tensor state = start;
    for (int tick = 0; tick < 4; ++tick) {
      state = swing(state, policy.force(state));  //~
      cost = cost + reduce_sum(square(state));
    }
  }
  const auto gradients = tape.gradient(cost, {policy.gain, policy.trim, start});
  report("gain", gradients[0]);
  report("trim", gradients[1]);
  report("start", gradients[2]);
}
