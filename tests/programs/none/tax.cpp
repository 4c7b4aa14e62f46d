// Income tax in two brackets, and how it follows from their rates.
#include "report.h"

using namespace tapescope;

struct Brackets {
  Variable low{constant(0.14), {.name = "low"}}, high{constant(0.42), {.name = "high"}};  //~
  Variable limit{constant(60.0), {.name = "limit"}};
};

Tensor tax(const Tensor& income, const Brackets& rates, bool by_parts) {
  if (by_parts) return rates.low * minimum(income, rates.limit) + rates.high * softplus(income - rates.limit);
  if (item(income - rates.limit) > 0) {  //!
    return rates.low * rates.limit + rates.high * (income - rates.limit);  //~
  }
  return rates.low * income;
}

int main(int argc, char**) {
  const Brackets rates;
  const Tensor income = constant(48.0).named("income");
  GradientTape tape;
  Tensor due;
  {
    auto recording = tape.record();
    tape.watch(income);
    due = tax(income * 1.02, rates, argc > 1);  //~
  }
  const auto gradients = tape.gradient(due, {income, rates.low, rates.high});
  report("income", gradients[0]);
  report("low", gradients[1]);
  report("high", gradients[2]);
}
