// Expected claims of an insurer's contracts: each contract is scored by its own call.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor contracts(int count) {
  std::vector<double> values;
  for (int i = 0; i < count * 6; ++i) values.push_back(0.5 + 0.5 * std::sin(0.37 * i));
  return constant(std::span<const double>(values), {count, 6});
}

struct Tariff {
  Variable weights{constant({0.1, 0.2, -0.1, 0.05, 0.3, -0.2}), {.name = "weights"}};
  Variable base{constant(0.4), {.name = "base"}};

  Tensor risk(const Tensor& contract) const { return base + reduce_sum(weights * contract, -1); }
  Tensor claim(const Tensor& contract) const { return softplus(risk(contract)); }

  Tensor portfolio(const Tensor& all, bool fixed) const {
    if (fixed) return reduce_sum(claim(all));
    Tensor sum = constant(0.0);
    for (int i = 0; i < all.dim(0); ++i) {
      sum = sum + claim(at(all, i));  //!
    }
    return sum;
  }
};

int main(int argc, char**) {
  const Tariff tariff;
  const Tensor all = contracts(80);
  std::vector<Tensor> gradients;
  for (int year = 0; year < 3; ++year) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(tariff.portfolio(all, argc > 1) / 80.0 - 1.2);  //~
    }
    gradients = tape.gradient(loss, {tariff.weights, tariff.base});
    tariff.weights.assign_sub(0.1 * gradients[0]);
    tariff.base.assign_sub(0.1 * gradients[1]);
  }
  report("weights", gradients[0]);
  report("base", gradients[1]);
}
