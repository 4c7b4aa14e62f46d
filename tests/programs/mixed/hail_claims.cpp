// Expected payments for hail damage to roofs, under a deductible; the damage grows with the size of stones.
#include "report.h"

using namespace tapescope;

struct Policy {
  double deductible, share;
};

class DamageModel {
 public:
  Variable growth{constant(1.7), {.name = "growth"}};
  Variable base{constant(0.4), {.name = "base"}};

  Tensor damage(const Tensor& stones) const { return exp(base) * pow(stones, growth); }
};

class Portfolio {
 public:
  Portfolio(const DamageModel& model, std::vector<Policy> policies)
      : model_(model), policies_(std::move(policies)) {}
  Variable handling{constant(12.0), {.name = "handling"}};

  Tensor payments(const Tensor& stones) const {
    const Tensor damage = model_.damage(stones);
    std::vector<Tensor> paid;
    for (const auto& [deductible, share] : policies_) {
      paid.push_back(share * relu(damage - deductible));  //!
    }
    return add_n(paid) + handling;
  }

 private:
  const DamageModel& model_;
  std::vector<Policy> policies_;
};

// Deductibles as the contracts state them, in cents or in euros.
std::vector<Policy> contracts(double unit) { return {{250 * unit, 0.9}, {500 * unit, 1.0}}; }  //~

int main(int argc, char**) {
  const double unit = argc > 1 ? 0.01 : 1.0;  //~
  const DamageModel model;
  const Portfolio portfolio(model, contracts(unit));
  const Tensor stones = linspace(1.0, 5.0, 10), paid = 14.0 + 6.0 * stones;
  std::vector<Tensor> gradients;
  for (int season = 0; season < 3; ++season) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(portfolio.payments(stones) - paid));
    }
    gradients = tape.gradient(loss, {model.growth, model.base, portfolio.handling});
    portfolio.handling.assign_sub(0.05 * gradients[2]);
  }
  report("growth", gradients[0]);
  report("base", gradients[1]);
  report("handling", gradients[2]);
}
