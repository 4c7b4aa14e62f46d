// Shortest rope along a cliff with a log barrier. A step that leaves the ledge is tried, seen and halved.
#include "report.h"

using namespace tapescope;

class Ledge {
 public:
  Tensor cost(const Tensor& at) const {
    return reduce_sum(constant({-1.0, -2.0}) * at) - 0.05 * reduce_sum(log(width_ - at)) -
           0.05 * reduce_sum(log(at));
  }

 private:
  Tensor width_ = constant({1.0, 1.5});
};

int main() {
  const Ledge ledge;
  const Variable place(constant({0.4, 0.6}), {.name = "place"});
  Tensor gradient;
  int halved = 0;
  for (int move = 0; move < 6; ++move) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      cost = ledge.cost(place);
    }
    gradient = tape.gradient(cost, place);
    const double before = item(cost);
    double length = 1.0;
    for (int tries = 0; tries < 20; ++tries, length /= 2) {
      const double after = item(ledge.cost(place - length * gradient));
      if (std::isfinite(after) && after < before) break;
      ++halved;
    }
    place.assign_sub(length * gradient);
  }
  std::printf("halved %d\n", halved);
  report("place", gradient);
}
