// Optimizes a ski jumper's posture; the function of flight is put together for each attempt.
#include "report.h"

using namespace tapescope;

struct Jumper {
  Variable lean{constant(0.3), {.name = "lean"}};
  Variable arms{constant(0.1), {.name = "arms"}};

  Tensor distance(const Tensor& speed) const {
    return reduce_sum(speed * (1.2 + lean - square(lean)) - square(arms) * speed);
  }
};

Tensor flight(const Jumper& jumper, const Tensor& speed) {
  const auto distance = [&](const Tensor& speed) { return jumper.distance(speed); };
  const Function fly("fly", distance, {.arguments = {"speed"}});  //~
  const Tensor metres = fly(speed);  //!
  report_traces(fly);
  return metres;
}

int main(int argc, char**) {
  const Jumper jumper;
  const Tensor speed = constant({24.0, 25.5}).named("speed");
  const Function once("fly", [&](const Tensor& speed) { return jumper.distance(speed); },
                      {.arguments = {"speed"}});
  Tensor gradient;
  for (int attempt = 0; attempt < 5; ++attempt) {
    GradientTape tape;
    Tensor metres;
    {
      auto recording = tape.record();
      metres = argc > 1 ? once(speed) : flight(jumper, speed);  //~
    }
    gradient = tape.gradient(metres, jumper.lean);
    jumper.lean.assign_add(0.001 * gradient);
  }
  if (argc > 1) report_traces(once);
  report("lean", gradient);
}
