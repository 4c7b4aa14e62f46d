// Three clocks vote by their largest reading; each has its own drift.
#include "report.h"

using namespace tapescope;

struct Clocks {
  Variable north{1.0, {.name = "north"}}, east{3.0, {.name = "east"}}, south{1.2, {.name = "south"}};
  Tensor readings(const Tensor& hours) const {
    return stack(std::vector<Tensor>{north * hours, east * hours, south * hours});
  }
};

int main(int argc, char**) {
  const Clocks clocks;
  const Tensor hours = constant({1.0, 2.0, 5.0}), truth = constant({1.1, 2.2, 5.4});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor readings = clocks.readings(hours);
    const Tensor vote = argc > 1 ? reduce_mean(readings, 0) : reduce_max(readings, 0);  //!
    loss = reduce_mean(abs(vote - truth));
  }
  const auto gradients = tape.gradient(loss, {clocks.north, clocks.east, clocks.south});
  report("north", gradients[0]);
  report("east", gradients[1]);
  report("south", gradients[2]);
}
