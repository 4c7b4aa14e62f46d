// Strength of brick walls: the mortar is fitted batch by batch with a traced step.
#include "report.h"

using namespace tapescope;

using Step = Function<std::vector<Tensor>(const Tensor&, const Tensor&)>;

class Mortar {
 public:
  Variable lime{constant({0.4, 0.2}), {.name = "lime"}};
  Variable sand{constant(0.7), {.name = "sand"}};

  Tensor strength(const Tensor& days) const {
    return lime[0] * log1p(days) + lime[1] * sqrt(days) - square(sand) * 0.1;
  }

  Step make_step() const {
    return Step("fit_batch", [this](const Tensor& days, const Tensor& tested) {  //!
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_mean(square(strength(days) - tested));
      }
      return tape.gradient(loss, {lime, sand});
    });
  }
};

struct Batch {
  Tensor days, tested;
};

int main(int argc, char**) {
  const Mortar mortar;
  const Step kept = mortar.make_step();
  std::vector<Tensor> gradients;
  std::size_t traces = 0;
  for (int n = 0; n < 9; ++n) {
    const Batch batch{linspace(1.0, 20.0 + n, 12), linspace(0.5, 2.5, 12)};
    if (argc > 1) {
      gradients = kept(batch.days, batch.tested);
      traces = kept.tracing_count();
    } else {
      const Step step = mortar.make_step();  //~
      gradients = step(batch.days, batch.tested);  //~
      traces += step.tracing_count();
    }
    mortar.lime.assign_sub(0.02 * gradients[0]);
    mortar.sand.assign_sub(0.02 * gradients[1]);
  }
  report("lime", gradients[0]);
  report("sand", gradients[1]);
  std::printf("traces fit_batch %zu\n", traces);
}
