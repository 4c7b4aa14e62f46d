// A rolling mill for plates: one traced step for training batches and one for the smaller check set.
#include "report.h"

using namespace tapescope;

class Rolls {
 public:
  Variable gap{constant(0.8), {.name = "gap"}}, bend{constant({0.1, 0.05, -0.02}), {.name = "bend"}};
  Tensor thickness(const Tensor& plates) const { return gap + matvec(plates, bend) + 0.1 * square(gap); }
};

int main() {
  const Rolls rolls;
  const Function loss("loss",
                      [&](const Tensor& plates, const Tensor& gauge) {
                        return reduce_mean(square(rolls.thickness(plates) - gauge));
                      },
                      {.arguments = {"plates", "gauge"}});
  const Tensor checked = reshape(cos(linspace(0.0, 3.0, 24)), {8, 3}), gauge = fill({8}, 1.0);
  std::vector<Tensor> gradients;
  double best = 1e9;
  int patience = 3;
  for (int coil = 0; coil < 12 && patience > 0; ++coil) {
    const Tensor plates = reshape(sin(linspace(0.0, 4.0 + coil, 96)), {32, 3});
    GradientTape tape;
    Tensor error;
    {
      auto recording = tape.record();
      error = loss(plates, fill({32}, 1.0));
    }
    gradients = tape.gradient(error, {rolls.gap, rolls.bend});
    rolls.gap.assign_sub(0.1 * gradients[0]);
    rolls.bend.assign_sub(0.1 * gradients[1]);
    const double now = item(loss(checked, gauge));
    patience = now < best ? 3 : patience - 1;
    best = std::min(best, now);
  }
  report("gap", gradients[0]);
  report("bend", gradients[1]);
  report_traces(loss);
}
