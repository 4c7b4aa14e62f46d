// Growth of cracks in a wing: the power law of the load above the threshold, nothing below it.
#include "report.h"

using namespace tapescope;

class ParisLaw {
 public:
  explicit ParisLaw(bool fixed) : fixed_(fixed) {}

  Tensor growth(const Tensor& load) const {
    const Tensor excess = load - threshold;
    const Tensor open = excess > 0.0;
    const Tensor base = fixed_ ? where(open, excess, 1.0) : maximum(excess, 0.0);  //~
    return where(open, factor * pow(base, 0.7), 0.0);  //!
  }

  Variable threshold{constant(3.0), {.name = "threshold"}};
  Variable factor{constant(0.02), {.name = "factor"}};

 private:
  bool fixed_;
};

int main(int argc, char**) {
  const ParisLaw law(argc > 1);
  const Tensor load = constant({2.5, 6.0, 3.0, 8.5, 1.0, 4.0}).named("load");
  const Tensor measured = constant({0.0, 0.05, 0.0, 0.07, 0.0, 0.02}).named("measured");
  Function<Tensor(const Tensor&, const Tensor&)> misfit(
      "misfit",
      [&](const Tensor& load, const Tensor& grown) { return reduce_mean(square(law.growth(load) - grown)); },
      {.arguments = {"load", "grown"}});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = misfit(load, measured);
  }
  const auto gradients = tape.gradient(loss, {law.threshold, law.factor});
  report("threshold", gradients[0]);
  report("factor", gradients[1]);
  report_traces(misfit);
}
