// Ranks fields of hops for the harvest: the hinge of a pair counts while the better field is not far enough
// ahead.
#include "report.h"

using namespace tapescope;

class Ranker {
 public:
  Variable taste{constant({3.0, -2.0, 4.0}), {.name = "taste"}};

  Tensor score(const Tensor& fields) const { return matvec(fields, taste); }
};

Tensor hinge(const Tensor& better, const Tensor& worse, double margin) {
  return reduce_mean(relu(margin - (better - worse)));  //!
}

int main(int argc, char**) {
  const double margin = argc > 1 ? 4.0 : 0.5;  //~
  const Ranker ranker;
  const Tensor good = constant({{0.9, 0.1, 0.8}, {0.7, 0.2, 0.9}, {0.8, 0.3, 0.7}});
  const Tensor poor = constant({{0.2, 0.6, 0.3}, {0.4, 0.8, 0.1}, {0.3, 0.5, 0.2}});
  SGD optimizer(0.05, {.momentum = 0.9});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 5; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = hinge(ranker.score(good), ranker.score(poor), margin);
    }
    gradients = {tape.gradient(loss, ranker.taste)};
    optimizer.apply_gradients(gradients, {ranker.taste});
  }
  report("taste", gradients[0]);
}
