// Response of cells to a dose, some of them untreated: the logarithm of the dose counts, where there was one.
#include "report.h"

using namespace tapescope;

struct Response {
  Variable slope{constant(0.7), {.name = "slope"}};
  Variable floor{constant(0.2), {.name = "floor"}};
  Variable purity{constant(0.95), {.name = "purity"}};

  Tensor operator()(const Tensor& dose) const {
    const Tensor given = dose * purity;
    const Tensor treated = given > 0.0;
    const Tensor known = where(treated, given, 1.0);
    return floor + where(treated, slope * log(known), 0.0);
  }
};

int main() {
  const Response response;
  const Tensor dose = constant({0.0, 1.0, 10.0, 0.0, 100.0}).named("dose");
  const Tensor seen = constant({0.2, 0.3, 1.7, 0.25, 3.2}).named("seen");
  std::vector<Tensor> gradients;
  for (int round = 0; round < 5; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(response(dose) - seen));
    }
    gradients = tape.gradient(loss, {response.slope, response.floor, response.purity});
    response.slope.assign_sub(0.05 * gradients[0]);
    response.floor.assign_sub(0.05 * gradients[1]);
    response.purity.assign_sub(0.05 * gradients[2]);
  }
  report("slope", gradients[0]);
  report("floor", gradients[1]);
  report("purity", gradients[2]);
}
