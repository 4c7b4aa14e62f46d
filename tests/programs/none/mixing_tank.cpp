// How the two streams that leave a mixing tank answer to its valves: both Jacobians in one call.
#include "report.h"

using namespace tapescope;

struct Tank {
  Variable valves{constant({0.3, 0.8}), {.name = "valves"}};
  Variable splits{constant({0.2, 0.5}), {.name = "splits"}};

  // Concentrations of what leaves, salt and dye.
  Tensor outflow(const Tensor& inflow, bool fixed) const {
    const Tensor mixed = tanh(inflow * valves);
    const Tensor share = sigmoid(splits);
    // The controller's resolution is one part in a hundred.
    return fixed ? mixed * share : mixed * (round(share * 100.0) / 100.0);  //!
  }
};

int main(int argc, char**) {
  const Tank tank;
  const Tensor inflow = constant({1.2, 0.7}).named("inflow");
  GradientTape tape;
  Tensor leaves;
  {
    auto recording = tape.record();
    leaves = tank.outflow(inflow, argc > 1);
  }
  const std::vector<Tensor> answers = tape.jacobian(leaves, {tank.valves, tank.splits});
  report("valves", answers[0]);
  report("splits", answers[1]);
}
