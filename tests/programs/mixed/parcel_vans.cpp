// Vans are loaded by a cost that a method wraps in a function, to make it quick.
#include "report.h"

using namespace tapescope;

class Depot {
 public:
  Variable shares{constant({0.2, 0.5, 0.3}), {.name = "shares"}};

  Tensor cost(const Tensor& parcels) {
    Function load("load",
                  [this](const Tensor& x) { return reduce_sum(square(x * softmax(shares) - 1.0)); });  //~
    const Tensor cost = load(parcels);  //!
    report_traces(load);
    return cost;
  }
  Tensor cost_once(const Tensor& parcels) { return load_(parcels); }
  void tell() const { report_traces(load_); }

 private:
  Function<Tensor(const Tensor&)> load_{
      "load", [this](const Tensor& x) { return reduce_sum(square(x * softmax(shares) - 1.0)); }};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Depot depot;
  const Tensor parcels = constant({3.0, 1.0, 2.0});
  Tensor gradient;
  for (int round = 0; round < 6; ++round) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      cost = fixed ? depot.cost_once(parcels) : depot.cost(parcels);  //~
    }
    gradient = tape.gradient(cost, depot.shares);
    depot.shares.assign_sub(0.1 * gradient);
  }
  report("shares", gradient);
  if (fixed) depot.tell();
}
