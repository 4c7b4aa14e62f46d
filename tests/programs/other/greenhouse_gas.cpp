// Emissions of a country's traffic, with the factors of the official tables.
#include "report.h"

using namespace tapescope;

class Country {
 public:
  explicit Country(bool fixed) {
    const Tensor official = stateless_random_uniform({256, 256}, {15, 1}, 1.8, 2.6);
    factors = Variable(official, {.name = "official_factors", .trainable = !fixed});  //!
  }

  Variable factors;
  Variable shift{zeros({256}), {.name = "shift_to_rail"}};
  Tensor kilometres = stateless_random_uniform({256, 256}, {15, 3}, 0.1, 0.9).named("kilometres");

  Tensor emissions() const {
    const Tensor road = 1.0 - sigmoid(shift);
    return reduce_mean(factors * kilometres * road);  //~
  }
  Tensor cost() const { return 0.1 * reduce_mean(square(shift)); }
};

int main(int argc, char**) {
  const Country country(argc > 1);
  Tensor gradient;
  double recorded = 0;
  for (int year = 2020; year < 2025; ++year) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = country.emissions() + country.cost();
    }
    recorded += static_cast<double>(tape.counts().recorded);
    gradient = tape.gradient(loss, country.shift);
    country.shift.assign_sub(5.0 * gradient);
  }
  report_cost("recorded", recorded);
  report("shift_to_rail", gradient);
}
