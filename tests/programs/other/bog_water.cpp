// Water in a bog over a year: normalised by running figures, with a log that reads values now and then.
#include "report.h"

using namespace tapescope;

// Mean and spread of all that came by; they follow by themselves and are never trained.
class Running {
 public:
  Tensor normal(const Tensor& x) {
    mean_.assign(0.9 * mean_ + 0.1 * reduce_mean(x));
    spread_.assign(0.9 * spread_ + 0.1 * reduce_std(x));
    return (x - mean_) / (spread_ + 1e-3);
  }

 private:
  Variable mean_{constant(1.0), {.name = "running_mean", .trainable = false}};
  Variable spread_{constant(1.0), {.name = "running_spread", .trainable = false}};
};

class Bog {
 public:
  Variable soak{constant(0.5), {.name = "soak"}};
  Variable drain{constant(0.3), {.name = "drain"}};
  Tensor level(const Tensor& rain) const { return softplus(soak * rain) - sigmoid(drain) * rain; }
};

int main() {
  const Bog bog;
  Running running;
  std::vector<Tensor> gradients;
  double least = 1e9;
  for (int month = 0; month < 12; ++month) {
    const Tensor rain = running.normal(1.0 + 0.5 * sin(linspace(0.3 * month, 0.3 * month + 2.0, 10)));
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(bog.level(rain) - 0.4));
    }
    gradients = tape.gradient(loss, {bog.soak, bog.drain});
    bog.soak.assign_sub(0.1 * gradients[0]);
    bog.drain.assign_sub(0.1 * gradients[1]);
    least = std::min(least, item(loss));
    if (month % 4 == 3) std::fprintf(stderr, "month %d: %.4f, best %.4f\n", month, item(loss), least);
  }
  report("soak", gradients[0]);
  report("drain", gradients[1]);
}
