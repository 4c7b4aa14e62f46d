// The curvature of a likelihood at its peak gives the error of the fit.
#include "report.h"

using namespace tapescope;

class Likelihood {
 public:
  Tensor negative_log() const {
    const Tensor rate = exp(log_rate);
    return reduce_sum(rate * hours_ - counts_ * (log_rate + log(hours_))) +
           0.5 * reduce_sum(square(log_rate));
  }
  Variable log_rate{constant({0.2, 1.1}), {.name = "log_rate"}};

 private:
  Tensor hours_ = constant({3.0, 2.0}), counts_ = constant({4.0, 6.0});
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Likelihood fit;
  GradientTape outer, inner;
  Tensor loss, slope;
  {
    auto recording_outer = outer.record();
    {
      auto recording_inner = inner.record();
      loss = fit.negative_log();
    }
    if (fixed) slope = inner.gradient(loss, fit.log_rate);
  }
  if (!slope) slope = inner.gradient(loss, fit.log_rate);  //!
  report("log_rate", outer.jacobian(slope, fit.log_rate));
}
