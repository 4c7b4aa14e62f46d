// A hydro plant plans its week: gate and turbine for the best revenue at falling heads of water.
#include "report.h"

using namespace tapescope;

struct Plant {
  Variable gate{constant({0.5, 0.6, 0.4}), {.name = "gate"}};
  Variable turbine{constant(0.7), {.name = "turbine"}};
};

using Through = std::function<Tensor(const Tensor&)>;

// Power for a plan. The caller says what happens to the flow on its way to the turbine.
template <class Flow>
Tensor power(const Plant& plant, const Tensor& head, Flow&& flow) {
  const Tensor water = flow(sigmoid(plant.gate));
  return plant.turbine * water * sqrt(head) - 0.2 * square(water * plant.turbine);
}

class Planner {
 public:
  Planner(const Plant& plant, bool whole) : plant_(plant), whole_(whole) {}

  Tensor revenue(const Tensor& head, const Tensor& price) const {
    const Through open = [](const Tensor& flow) { return flow; };
    const Through closed = [](const Tensor& flow) { return stop_gradient(flow); };  //!
    return reduce_sum(price * power(plant_, head, whole_ ? open : closed));  //~
  }
  double forecast(const Tensor& head) const {
    return item(reduce_mean(power(plant_, head, [](const Tensor& flow) { return 1.1 * flow; })));
  }
  // What wears the runner out; a full load is a bound that shall not move.
  Tensor wear(const Tensor& head) const {
    const Tensor full = stop_gradient(reduce_max(head));
    return 0.05 * square(plant_.turbine) * full;
  }

 private:
  const Plant& plant_;
  bool whole_;
};

int main(int argc, char**) {
  const Plant plant;
  const Planner planner(plant, argc > 1);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    const Tensor head = constant({9.0 - day, 8.5 - day, 8.0 - day}), price = constant({0.9, 1.2, 1.0});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = planner.wear(head) - planner.revenue(head, price);
    }
    gradients = tape.gradient(loss, {plant.gate, plant.turbine});
    plant.turbine.assign_sub(0.01 * gradients[1]);
    std::fprintf(stderr, "day %d: %.2f\n", day, planner.forecast(head));
  }
  report("gate", gradients[0]);
  report("turbine", gradients[1]);
}
