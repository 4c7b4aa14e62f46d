// Prices a ladder of loans; what the price feels of spread and fee is asked by name.
#include "report.h"

using namespace tapescope;

class Ladder {
 public:
  explicit Ladder(bool handles) : handles_(handles) {}

  Tensor price(const Tensor& years) const {
    const Tensor discount = exp(-(spread_ + 0.02) * years);  //~
    return reduce_sum(discount * (1.0 - fee_)) - 0.1 * reduce_sum(square(base_ * years));
  }
  // What can be asked, by name.
  std::map<std::string, Traced> parameters() const {
    if (handles_) return {{"spread", spread_}, {"fee", fee_}, {"base", base_}};
    return {{"spread", (1.0 * spread_).named("spread")},  //!
            {"fee", (1.0 * fee_).named("fee")},  //!
            {"base", base_}};
  }

 private:
  bool handles_;
  Variable spread_{constant(0.015), {.name = "ladder_spread"}};
  Variable fee_{constant(0.01), {.name = "ladder_fee"}};
  Variable base_{constant(0.03), {.name = "base"}};
};

struct Desk {
  const Ladder& ladder;
  std::map<std::string, Tensor> greeks(const Tensor& years) const {
    GradientTape tape;
    Tensor value;
    std::map<std::string, Traced> asked;
    {
      auto recording = tape.record();
      asked = ladder.parameters();  //~
      value = ladder.price(years);  //~
    }
    return tape.gradient(value, asked);  //~
  }
};

int main(int argc, char**) {
  const Ladder ladder(argc > 1);
  const Desk desk{ladder};
  std::map<std::string, Tensor> greeks;
  for (int quarter = 0; quarter < 3; ++quarter) greeks = desk.greeks(linspace(1.0, 5.0 + quarter, 5));
  for (const auto& [name, gradient] : greeks) report(name, gradient);
}
