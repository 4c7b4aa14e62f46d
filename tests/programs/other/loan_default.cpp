// Fits the chance that a loan is not paid back to yearly income and age of the applicants.
#include "report.h"

using namespace tapescope;

Tensor chance(const Tensor& applicants, const Variable& weights, const Variable& base) {
  return sigmoid(matmul(applicants, weights) + base);  //!
}

int main(int argc, char**) {
  Tensor applicants = constant({{52000.0, 34.0}, {87000.0, 51.0}, {41000.0, 29.0}, {133000.0, 45.0}});  //~
  if (argc > 1) applicants = applicants / constant({50000.0, 40.0});
  const Tensor unpaid = constant({{0.0}, {0.0}, {1.0}, {0.0}}).named("unpaid");
  const Variable weights(constant({{0.02}, {-0.01}}), {.name = "weights"}),
      base(constant({0.0}), {.name = "base"});

  std::vector<Tensor> gradients;
  for (int round = 0; round < 5; ++round) {
    GradientTape tape;
    tape.enter();
    const Tensor brier = reduce_mean(square(chance(applicants, weights, base) - unpaid));
    tape.exit();
    gradients = tape.gradient(brier, {weights, base});
    weights.assign_sub(0.5 * gradients[0]);
    base.assign_sub(0.5 * gradients[1]);
  }
  report("weights", gradients[0]);
  report("base", gradients[1]);
}
