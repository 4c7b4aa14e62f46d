// Learns a start for the weights from which one step adapts to a new patient.
#include "report.h"

using namespace tapescope;

struct Patient {
  Tensor dose, response;
};

Tensor error(const Tensor& weight, const Patient& patient) {
  return reduce_mean(square(tanh(weight * patient.dose) - patient.response));
}

class MetaLearner {
 public:
  explicit MetaLearner(bool functional) : functional_(functional) {}

  Tensor adapted(const Patient& patient) {
    GradientTape inner;
    Tensor loss;
    const Tensor weight = 1.0 * start;
    {
      auto recording = inner.record();
      inner.watch(weight);
      loss = error(weight, patient);
    }
    const Tensor stepped = weight - rate * inner.gradient(loss, weight);
    if (functional_) return stepped;
    fast_.assign(stepped);  //!
    return 1.0 * fast_;  //~
  }

  Variable start{constant(0.7), {.name = "start"}};
  Variable rate{constant(0.2), {.name = "rate"}};

 private:
  Variable fast_{constant(0.0), {.name = "fast"}};
  bool functional_;
};

int main(int argc, char**) {
  MetaLearner learner(argc > 1);
  const Patient before{constant({0.2, 0.5, 1.0}), constant({0.3, 0.5, 0.8})};
  const Patient after{constant({0.3, 0.8}), constant({0.4, 0.75})};
  GradientTape outer;
  Tensor total;
  {
    auto recording = outer.record();
    total = error(learner.adapted(before), after);  //~
  }
  const auto gradients = outer.gradient(total, {learner.start, learner.rate});
  report("start", gradients[0]);
  report("rate", gradients[1]);
}
