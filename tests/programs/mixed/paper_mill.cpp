// Steers a paper mill through branches of a function; a dry line has another drying law than a wet one.
#include "report.h"

using namespace tapescope;

class Mill {
 public:
  Variable steam{constant(0.7), {.name = "steam"}};
  Variable vacuum{constant(0.4), {.name = "vacuum"}};
  Variable speed{constant(1.1), {.name = "speed"}};

  Tensor dry(const Tensor& sheet) const {
    return cond(  //~
        reduce_mean(sheet) > 0.5,  //~
        [&] { return sheet * exp(-vacuum * speed); },  //~
        [&] { return sheet * exp(-steam / speed); });  //!
  }
};

int main(int argc, char**) {
  const Mill mill;
  const double wet = argc > 1 ? 0.3 : 0.8;
  const Function bill("bill", [&](const Tensor& sheet) {
    Tensor loss;
    GradientTape tape;
    {
      auto recording = tape.record();
      loss = reduce_sum(mill.dry(sheet)) + 0.1 * square(mill.speed) + 0.001 * square(mill.vacuum);
    }
    return tape.gradient(loss, {mill.steam, mill.vacuum, mill.speed});
  });
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 3; ++hour) {
    gradients = bill(linspace(wet, wet + 0.1, 6));
    mill.speed.assign_sub(0.05 * gradients[2]);
  }
  report("steam", gradients[0]);
  report("vacuum", gradients[1]);
  report("speed", gradients[2]);
}
