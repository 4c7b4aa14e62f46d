// Ranks wines by pairs: the better one's score is to be larger than the other's.
#include "report.h"

using namespace tapescope;

struct Taster {
  Variable taste{constant({{0.3}, {-0.2}, {0.6}}), {.name = "taste"}};
  Variable mood{constant({0.1}), {.name = "mood"}};

  Tensor score(const Tensor& wine) const { return matmul(wine, taste) + mood; }  //~
};

Tensor margin(const Taster& taster, const Tensor& better, const Tensor& other, bool fixed) {
  if (fixed) return taster.score(better) - matmul(other, taster.taste);
  return taster.score(better) - taster.score(other);  //!
}

int main(int argc, char**) {
  const Taster taster;
  const Tensor better = constant({{7.1, 0.4, 3.2}, {6.8, 0.3, 3.4}}).named("better");
  const Tensor other = constant({{7.9, 0.6, 3.1}, {8.1, 0.5, 3.0}}).named("other");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(softplus(-margin(taster, better, other, argc > 1)));
  }
  const auto gradients = tape.gradient(loss, {taster.taste, taster.mood});
  report("taste", gradients[0]);
  report("mood", gradients[1]);
}
