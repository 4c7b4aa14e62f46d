// Two bidders learn against each other; each has a tape for its own profit.
#include "report.h"

using namespace tapescope;

struct Bidder {
  Variable bid;
  double worth;
  Bidder(const char* name, double first, double value) : bid(constant(first), {.name = name}), worth(value) {}
};

Tensor profit(const Bidder& own, const Bidder& other) {
  const Tensor wins = sigmoid(6.0 * (own.bid - stop_gradient(other.bid)));  //!
  return wins * (own.worth - own.bid);  //~
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Bidder ada("ada", 0.4, 1.0), ben("ben", 0.5, 0.9);
  GradientTape adas({.persistent = true}), bens({.persistent = true});
  Tensor of_ada, of_ben;
  {
    auto recording = adas.record();
    of_ada = profit(ada, ben);
  }
  {
    auto recording = bens.record();
    of_ben = profit(ben, ada);  //~
  }
  report("ada", adas.gradient(of_ada, ada.bid));
  report("ben", (fixed ? bens : adas).gradient(of_ben, ben.bid));  //~
}
