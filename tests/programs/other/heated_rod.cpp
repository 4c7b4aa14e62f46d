// Heat along a rod for 400 moments; the conductivity is found from the temperature at the end.
#include <tuple>

#include "report.h"

using namespace tapescope;

struct Rod {
  mutable int moments = 0;  // worked out by the program's own code
  Variable conductivity{constant(0.2), {.name = "conductivity"}};

  Tensor spread(const Tensor& heat) const {
    ++moments;
    return heat + conductivity * (roll(heat, 1, 0) - 2.0 * heat + roll(heat, -1, 0));
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Rod rod;
  const Tensor start = one_hot(constant(20, DType::i32), 64) * 100.0;
  const Function end("heat_after",
                     [&](const Tensor& heat) {
                       if (fixed) {
                         return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 400; },
                                                       [&](const Tensor& i, const Tensor& h) {
                                                         return std::tuple(i + 1, rod.spread(h));
                                                       },
                                                       std::tuple(constant(0, DType::i32), heat)));
                       }
                       Tensor now = heat;
                       for (int moment = 0; moment < 400; ++moment) now = rod.spread(now);  //!
                       return now;
                     },
                     {.arguments = {"heat"}});

  Tensor gradient;
  for (int trial = 0; trial < 3; ++trial) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(end(start) - 1.5));  //~
    }
    gradient = tape.gradient(loss, rod.conductivity);
    rod.conductivity.assign_sub(1e-3 * gradient);
  }
  report("conductivity", gradient);
  report_traces(end);
  report_cost("moments", rod.moments);
}
