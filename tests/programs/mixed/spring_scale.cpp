// A spring scale: the energy of springs by how far each is stretched, fitted to weights.
#include "report.h"

using namespace tapescope;

struct Spring {
  Variable stiff{constant({1.1, 0.8, 1.4}), {.name = "stiff"}};
  Tensor pull(const Tensor& way, bool fixed) const {
    const Tensor along = stiff * way;
    return sqrt(square(along) + (fixed ? 1e-6 : 0.0));  //!
  }
};

int main(int argc, char**) {
  const Spring spring;
  Tensor gradient;
  for (int load = 0; load < 4; ++load) {
    const Tensor way = constant({0.3, 0.2 * load, 0.1 + 0.1 * load});  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(square(spring.pull(way, argc > 1) - 0.4));
    }
    gradient = tape.gradient(loss, spring.stiff);
    spring.stiff.assign_sub(0.05 * gradient);
  }
  report("stiff", gradient);
}
