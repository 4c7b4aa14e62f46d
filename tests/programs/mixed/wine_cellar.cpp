// How a wine ages: a chain of small reactions run as one function, their speeds fitted to a tasting.
#include "report.h"

using namespace tapescope;

class Cellar {
 public:
  Variable speeds{constant({0.2, 0.1, 0.05}), {.name = "speeds"}};
  Variable warmth{constant(0.6), {.name = "warmth"}};
  bool pinned;

  explicit Cellar(bool pinned_) : pinned(pinned_) {}

  Tensor year(const Tensor& wine) {
    const Tensor lively = speeds * exp(warmth - 1.0);
    const Tensor turned = wine * lively;
    return wine - turned + roll(turned, 1, 0);
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Cellar cellar(!fixed);
  const Tensor kept = cellar.warmth.value();  //~
  const Function age("age",
                     [&](const Tensor& wine) {
                       Tensor now = wine;
                       for (int year = 0; year < 5; ++year) {
                         const Tensor warmth = cellar.pinned ? kept : cellar.warmth.value();  //!
                         const Tensor lively = cellar.speeds * exp(warmth - 1.0);
                         const Tensor turned = now * lively;
                         now = now - turned + roll(turned, 1, 0);
                       }
                       return now;
                     },
                     {.arguments = {"wine"}});
  const Tensor tasted = constant({0.4, 0.4, 0.2});
  std::vector<Tensor> gradients;
  for (int round = 0; round < 4; ++round) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_sum(square(age(constant({1.0, 0.0, 0.0})) - tasted));
    }
    gradients = tape.gradient(miss, {cellar.speeds, cellar.warmth});
    cellar.speeds.assign_sub(0.02 * gradients[0]);
  }
  report("speeds", gradients[0]);
  report("warmth", gradients[1]);
}
