// Prices of call options with their greeks: delta by the spot, vega by the volatility, gamma by the spot
// twice.
#include "report.h"

using namespace tapescope;

Tensor normal_cdf(const Tensor& x) { return 0.5 * (1.0 + erf(x / std::sqrt(2.0))); }

struct Call {
  double strike, years, interest = 0.02;

  Tensor price(const Tensor& spot, const Variable& volatility) const {
    const Tensor spread = volatility * std::sqrt(years);
    const Tensor high = (log(spot / strike) + (interest + 0.5 * square(volatility)) * years) / spread;
    return spot * normal_cdf(high) - strike * std::exp(-interest * years) * normal_cdf(high - spread);
  }
};

struct Greeks {
  Tensor delta, gamma, vega;
};

Greeks greeks(const Call& call, const Tensor& spot, const Variable& volatility, bool nested) {
  GradientTape second, first({.persistent = true});
  Tensor price, delta;
  {
    auto outer = second.record();
    second.watch(spot);
    {
      auto inner = first.record();
      first.watch(spot);
      price = call.price(spot, volatility);
    }
    if (nested) delta = first.gradient(price, spot);
  }
  if (!nested) delta = first.gradient(price, spot);  //!
  const Tensor vega = first.gradient(price, volatility);
  return {delta, second.gradient(delta, spot), vega};  //~
}

int main(int argc, char**) {
  const Variable volatility(0.25, {.name = "volatility"});
  const Tensor spot = constant({90.0, 100.0, 115.0}).named("spot");
  const Greeks book = greeks({100.0, 0.5}, spot, volatility, argc > 1);
  std::printf("delta %.3f\n", element(book.delta, 1));
  report("spot", book.gamma);
}
