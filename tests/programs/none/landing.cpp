// A lander that burns its engine below a height; simulated by the second.
#include "report.h"

using namespace tapescope;

struct Lander {
  Variable thrust{constant(4.1), {.name = "thrust"}}, drag{constant(0.02), {.name = "drag"}};  //~
};

using State = std::tuple<Tensor, Tensor, Tensor>;  // second, height, speed

State second(const Lander& lander, const State& state, double burn_below) {
  const auto& [time, height, speed] = state;
  const Tensor pull = 1.62 - lander.drag * square(speed);
  const auto burn = [&] { return 1.0 * lander.thrust; };  //~
  const auto coast = [] { return constant(0.0); };
  const Tensor push = cond(height < burn_below, burn, coast);  //!
  const Tensor faster = speed + pull - push;
  return {time + 1, height - faster, faster};
}

int main(int argc, char**) {
  const double burn_below = argc > 1 ? 60.0 : 6.0;  //~
  const Lander lander;
  GradientTape tape;
  Tensor impact;
  {
    auto recording = tape.record();
    const State end = while_loop([](const Tensor& time, const Tensor&, const Tensor&) { return time < 6; },
                                 [&](const Tensor& time, const Tensor& height, const Tensor& speed) {
                                   return second(lander, {time, height, speed}, burn_below);  //~
                                 },
                                 State(constant(0, DType::i32), constant(80.0), constant(2.0)));
    impact = square(std::get<2>(end));
  }
  const auto gradients = tape.gradient(impact, {lander.thrust, lander.drag});
  report("thrust", gradients[0]);
  report("drag", gradients[1]);
}
