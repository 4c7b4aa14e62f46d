// Plans when a house battery is loaded: a relay is on or off each hour, the bill is to be small.
#include "report.h"

using namespace tapescope;

class Planner {
 public:
  explicit Planner(bool fixed)
      : wish(constant({0.3, -0.8, 0.5, 0.1, -0.2, 0.9}), {.name = "wish"}),
        bill_("bill", [this, fixed](const Tensor& price) { return cost(price, fixed); },
              {.arguments = {"price"}}) {}

  Tensor bill(const Tensor& price) const { return bill_(price); }

  const auto& function() const { return bill_; }

  Variable wish;

 private:
  Tensor cost(const Tensor& price, bool fixed) const {
    const Tensor relay = fixed ? sigmoid(3.0 * wish) : 0.5 * (1.0 + sign(wish));  //!
    const Tensor loaded = reduce_sum(relay);
    return reduce_sum(relay * price) + square(loaded - 3.0);
  }

  Function<Tensor(const Tensor&)> bill_;
};

int main(int argc, char**) {
  const Planner planner(argc > 1);
  const Tensor price = constant({0.31, 0.28, 0.12, 0.09, 0.22, 0.35}).named("price");
  GradientTape tape;
  Tensor euros;
  {
    auto recording = tape.record();
    euros = planner.bill(price);
  }
  report("wish", tape.gradient(euros, planner.wish));
  report_traces(planner.function());
}
