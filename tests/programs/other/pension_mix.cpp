// Shares of a pension fund in stocks, bonds and gold, kept between nothing and all, so that the yearly return
// is the largest.
#include "report.h"

using namespace tapescope;

struct Fund {
  Tensor returns = constant({{0.07, 0.02, 0.03}, {-0.04, 0.03, 0.06}, {0.11, 0.01, -0.02}}).named("returns");
  double risk_aversion = 0.5;

  Tensor utility(const Tensor& shares) const {
    const Tensor yearly = matvec(returns, shares);
    const auto [mean, variance] = moments(yearly, {0});
    return mean - risk_aversion * variance;
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Fund fund;
  const double whole = fixed ? 1.0 : 100.0;
  const Variable exposure(constant({0.6, 0.3, 0.1}) * whole, {.name = "exposure"});  //~

  Tensor gradient;
  for (int year = 0; year < 3; ++year) {
    Tensor loss;
    GradientTape tape;
    {
      auto recording = tape.record();
      const Tensor shares = clip_by_value(exposure, 0.0, 1.0).named("shares");  //!
      loss = -fund.utility(shares);
    }
    gradient = tape.gradient(loss, exposure);
    exposure.assign_sub(0.1 * gradient);
  }
  report("exposure", gradient);
}
