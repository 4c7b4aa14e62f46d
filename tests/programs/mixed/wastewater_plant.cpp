// A treatment plant: how much air the basins get decides how much ammonium leaves them.
#include "report.h"

using namespace tapescope;

class Basin {
 public:
  explicit Basin(const std::string& name)
      : ammonium_(constant(8.0), {.name = name + "/ammonium", .trainable = false}) {}

  Tensor aerated(const Tensor& inflow, const Tensor& air, bool pure) const {
    const Tensor now = 0.6 * ammonium_ + 0.4 * inflow;
    const Tensor left = now * exp(-air);
    if (pure) return left;
    ammonium_.assign(left);  //!
    return ammonium_ * 1.0;  //~
  }

 private:
  Variable ammonium_;
};

class Plant {
 public:
  Variable air{constant({0.3, 0.5}), {.name = "air"}};
  Variable filter{constant(0.7), {.name = "filter"}};

  Tensor effluent(const Tensor& sewage, bool pure) const {
    Tensor water = sewage;
    for (std::size_t i = 0; i < basins_.size(); ++i) {
      water = basins_[i].aerated(water, air[static_cast<std::int64_t>(i)], pure);
    }
    return water * sigmoid(filter);
  }

 private:
  std::vector<Basin> basins_{Basin("first"), Basin("second")};
};

Tensor cost(const Plant& plant, const Tensor& effluent) {
  const Tensor price = stop_gradient(0.1 + 0.01 * plant.air[0]);
  return square(relu(effluent - 1.0)) + price * plant.filter;
}

int main(int argc, char**) {
  const Plant plant;
  Tensor by_air, by_filter;
  for (const double sewage : {22.0, 25.0, 19.0, 21.0}) {
    GradientTape tape;
    Tensor bill;
    {
      auto recording = tape.record();
      bill = cost(plant, plant.effluent(constant(sewage), argc > 1));
    }
    const std::vector<Tensor> gradients = tape.gradient(bill, {plant.air, plant.filter});
    by_air = gradients[0], by_filter = gradients[1];
    plant.filter.assign_sub(0.01 * by_filter);
  }
  report("air", by_air);
  report("filter", by_filter);
}
