// The growth of a salt marsh; the distances between plots are needed by the spread and by the shade.
#include "report.h"

using namespace tapescope;

class Marsh {
 public:
  Variable plots{reshape(sin(linspace(0.0, 15.0, 160)), {80, 2}), {.name = "plots"}};
  Variable range{constant(1.3), {.name = "range"}};

  Tensor distances() const {
    const Tensor gaps = expand_dims(plots, 0) - expand_dims(plots, 1);
    return sqrt(reduce_sum(square(gaps), 2) + 1e-4);
  }
  Tensor spread(const Tensor& distances) const { return reduce_mean(exp(-distances / range)); }
  Tensor shade(const Tensor& distances) const { return reduce_mean(1.0 / (1.0 + distances)); }
};

int main(int argc, char**) {
  const bool once = argc > 1;
  const Marsh marsh;
  std::vector<Tensor> gradients;
  for (int season = 0; season < 4; ++season) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor first = marsh.distances();  //~
      const Tensor spread = marsh.spread(first);
      const Tensor shade = marsh.shade(once ? first : marsh.distances());  //!
      loss = spread - 0.3 * shade;
    }
    gradients = tape.gradient(loss, {marsh.plots, marsh.range});
    marsh.plots.assign_sub(0.1 * gradients[0]);
  }
  report("plots", gradients[0]);
  report("range", gradients[1]);
}
