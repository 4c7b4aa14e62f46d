// A seed drill looks up how much seed a soil takes: the cell of the table follows from the wetness.
#include "report.h"

using namespace tapescope;

class RateTable {
 public:
  Variable rates{linspace(0.2, 1.6, 8), {.name = "rates"}};

  Tensor nearest(const Tensor& place) const {
    const Tensor cell = cast(place, DType::i32);  //!
    return gather(rates, minimum(maximum(cell, 0), 7));  //~
  }
  // Between two cells, by their distance.
  Tensor between(const Tensor& place) const {
    const Tensor away = abs(expand_dims(place, 1) - linspace(0.0, 7.0, 8));
    return matvec(relu(1.0 - away), rates);
  }
};

class Drill {
 public:
  explicit Drill(bool smooth) : smooth_(smooth) {}
  RateTable table;
  Variable slope{constant(6.2), {.name = "slope"}};

  Tensor seed(const Tensor& wetness) const {
    const Tensor place = slope * wetness + 0.4;
    return smooth_ ? table.between(place) : table.nearest(place);  //~
  }

 private:
  bool smooth_;
};

int main(int argc, char**) {
  const Drill drill(argc > 1);
  const Tensor wetness = constant({0.1, 0.25, 0.3, 0.55, 0.6, 0.85}),
               grown = constant({0.4, 0.6, 0.7, 0.9, 1.0, 1.3});
  std::vector<Tensor> gradients;
  for (int row = 0; row < 4; ++row) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(drill.seed(wetness) - grown));
    }
    gradients = tape.gradient(loss, {drill.slope, drill.table.rates});
    drill.table.rates.assign_sub(0.1 * gradients[1]);
  }
  report("slope", gradients[0]);
  report("rates", gradients[1]);
}
