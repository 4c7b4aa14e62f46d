// Weighs three funds by their return and their risk, and asks how the two parts of the utility pull.
#include "report.h"

using namespace tapescope;

struct Market {
  Tensor mean = constant({0.06, 0.09, 0.03});
  Tensor covariance = constant({{0.04, 0.01, 0.0}, {0.01, 0.09, 0.0}, {0.0, 0.0, 0.01}});
};

Tensor variance_of(const Tensor& weights, const Market& market) {
  return reduce_sum(weights * matvec(market.covariance, weights));
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Market market;
  const Variable logits(constant({0.2, 0.5, -0.1}), {.name = "logits"});
  const Variable aversion(constant(3.0), {.name = "aversion"});
  GradientTape tape({.persistent = fixed});
  Tensor profit, risk, utility;
  {
    auto recording = tape.record();
    const Tensor weights = softmax(logits);
    profit = reduce_sum(weights * market.mean);
    risk = aversion * variance_of(weights, market);
    utility = profit - risk;
  }
  report("logits", tape.gradient(utility, logits));  //~
  Tensor pull;
  try {
    pull = tape.gradient(utility, aversion);  //!
  } catch (const Error& error) {
    report_error(error);
  }
  report("aversion", pull);
}
