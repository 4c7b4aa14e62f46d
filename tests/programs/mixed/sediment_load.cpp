// Sediment in a river by its discharge: a rating curve, fitted on logarithms.
#include "report.h"

using namespace tapescope;

struct Gauging {
  Tensor discharge, load;
};

class RatingCurve {
 public:
  Variable coefficient{constant(-1.0), {.name = "coefficient"}};
  Variable exponent{constant(1.5), {.name = "exponent"}};

  Tensor log_load(const Tensor& discharge) const { return coefficient + exponent * log(discharge); }
};

namespace field {

// The campaigns of one year; in frost the trap is empty.
Gauging campaign(int year) {
  const Tensor discharge = linspace(2.0, 9.0 + year, 7);
  const Tensor load = 0.3 * pow(discharge, 1.6);
  if (year < 2) return {discharge, load};
  return {discharge, load * cast(discharge > 2.5, DType::f32)};  //~
}

Tensor log_residual(const RatingCurve& curve, const Gauging& gauging, double detection) {
  const Tensor seen = detection > 0 ? maximum(gauging.load, detection) : gauging.load;
  return curve.log_load(gauging.discharge) - log(seen);  //!
}

}  // namespace field

int main(int argc, char**) {
  const double detection = argc > 1 ? 0.01 : 0.0;
  const RatingCurve curve;
  const std::vector<Variable> fitted{curve.coefficient, curve.exponent};
  SGD optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int year = 0; year < 4; ++year) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(field::log_residual(curve, field::campaign(year), detection)));
    }
    gradients = tape.gradient(loss, fitted);
    optimizer.apply_gradients(gradients, fitted);
  }
  report("coefficient", gradients[0]);
  report("exponent", gradients[1]);
}
