// Rowers' strokes are distinguished by the direction of a difference; the timing is to be learned from it.
#include "report.h"

using namespace tapescope;

struct Crew {
  Variable timing{constant({0.1, -0.2, 0.3}), {.name = "timing"}};
  Variable force{constant({1.0, 1.1, 0.9}), {.name = "force"}};

  Tensor direction(const Tensor& beat, bool soft) const {
    const Tensor late = beat - timing;
    if (soft) return tanh(4.0 * late);
    return sign(late);  //!
  }
  Tensor drag(const Tensor& beat, bool soft) const { return reduce_sum(force * direction(beat, soft)); }
};

int main(int argc, char**) {
  const Crew crew;
  const Tensor beat = constant({0.0, 0.1, 0.2});
  std::vector<Tensor> gradients;
  for (int lap = 0; lap < 6; ++lap) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(crew.drag(beat, argc > 1) - 0.2);  //~
    }
    gradients = tape.gradient(loss, {crew.timing, crew.force});
    crew.force.assign_sub(0.05 * gradients[1]);
  }
  report("timing", gradients[0]);
  report("force", gradients[1]);
}
