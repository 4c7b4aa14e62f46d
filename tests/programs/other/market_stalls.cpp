// Prices of market stalls: what is earned and what is wasted are weighed by their gradients each day.
#include "report.h"

using namespace tapescope;

class Stalls {
 public:
  Variable prices{linspace(1.0, 3.0, 2000), {.name = "prices"}};
  Tensor visitors = 20.0 + 5.0 * sin(linspace(0.0, 30.0, 2000));

  Tensor sold() const { return visitors * exp(-0.4 * prices); }
  Tensor earned(const Tensor& sold) const { return reduce_mean(sold * prices); }
  Tensor wasted(const Tensor& sold) const { return reduce_mean(relu(10.0 - sold)); }
};

int main() {
  const Stalls stalls;
  Tensor by_earned, by_wasted;
  for (int day = 0; day < 7; ++day) {
    GradientTape tape({.persistent = true});
    Tensor earned, wasted;
    {
      auto recording = tape.record();
      const Tensor sold = stalls.sold();
      earned = stalls.earned(sold);
      wasted = stalls.wasted(sold);
    }
    by_earned = tape.gradient(earned, stalls.prices);
    by_wasted = tape.gradient(wasted, stalls.prices);
    const Tensor balance = norm(by_earned) / (norm(by_wasted) + 1e-6);
    stalls.prices.assign_add(50.0 * (by_earned - balance * by_wasted));
  }
  report("prices", by_earned);
}
