// Loads of harbour cranes: the worst one of each row counts, and a crane that stands still adds nothing.
#include "report.h"

using namespace tapescope;

class Cranes {
 public:
  Variable reach{constant({0.8, 1.1, 0.6, 1.4}), {.name = "reach"}};
  Variable counterweight{constant(0.5), {.name = "counterweight"}};

  Tensor load(const Tensor& tonnes) const { return relu(tonnes * reach - counterweight); }
  Tensor worst(const Tensor& tonnes) const { return reduce_max(load(tonnes), 1); }
};

int main() {
  const Cranes cranes;
  const Tensor tonnes =
      constant({{4.0, 0.0, 2.5, 1.0}, {1.0, 3.0, 0.0, 0.2}, {0.0, 1.0, 6.0, 0.0}, {0.3, 0.5, 0.1, 2.9}})
          .named("tonnes");
  std::vector<Tensor> gradients;
  double worst = 0;
  for (int shift = 0; shift < 5; ++shift) {
    GradientTape tape;
    Tensor loss, peaks;
    {
      auto recording = tape.record();
      peaks = cranes.worst(tonnes);
      loss = reduce_mean(square(peaks - 2.0));
    }
    worst = element(reduce_max(peaks), 0);
    gradients = tape.gradient(loss, {cranes.reach, cranes.counterweight});
    cranes.reach.assign_sub(0.02 * gradients[0]);
    cranes.counterweight.assign_sub(0.02 * gradients[1]);
  }
  std::printf("worst %.2f\n", worst);
  report("reach", gradients[0]);
  report("counterweight", gradients[1]);
}
