// Drops of an ink jet: voltage and pulse of the head are tuned until drops of all nozzles weigh the same.
#include <optional>

#include "report.h"

using namespace tapescope;

struct Head {
  Variable voltage{constant(0.8), {.name = "voltage"}};
  Variable pulse{constant(1.1), {.name = "pulse"}};
};

// As long as it lives, the tape holds nothing: figures for the log shall not cost memory.
class Quiet {
 public:
  explicit Quiet(GradientTape& tape) : pause_(tape.stop_recording()) {}  //~

 private:
  GradientTape::Pause pause_;
};

class Bench {
 public:
  Bench(const Head& head, bool loud) : head_(head), loud_(loud) {}

  std::vector<Tensor> tune(const Tensor& nozzles) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor heaviest = reduce_max(profile(tape, nozzles, false));
      const Tensor drops = profile(tape, nozzles, loud_);  //~
      const Tensor speed = head_.pulse * (1.0 - 0.3 * head_.pulse);
      loss = reduce_mean(square(drops - 0.5)) + square(speed - 0.7);
      std::fprintf(stderr, "heaviest %.3f\n", item(heaviest));
    }
    return tape.gradient(loss, {head_.voltage, head_.pulse});
  }

 private:
  Tensor profile(GradientTape& tape, const Tensor& nozzles, bool loud) const {
    std::optional<Quiet> quiet;
    if (!loud) quiet.emplace(tape);  //~
    return tanh(head_.voltage * nozzles) * 0.9;  //!
  }

  const Head& head_;
  bool loud_;
};

int main(int argc, char**) {
  const Head head;
  Bench bench(head, argc > 1);
  std::vector<Tensor> gradients;
  for (int page = 0; page < 3; ++page) {
    gradients = bench.tune(linspace(0.4, 1.2 + 0.1 * page, 8));
    head.pulse.assign_sub(0.1 * gradients[1]);
  }
  report("voltage", gradients[0]);
  report("pulse", gradients[1]);
}
