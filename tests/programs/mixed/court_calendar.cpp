// Orders the cases of a court so that the urgent ones are heard first; learns what makes a case urgent.
#include "report.h"

using namespace tapescope;

struct Docket {
  Tensor facts, cost_per_day;
};

class Clerk {
 public:
  Variable urgency{constant({0.4, -0.3, 0.8}), {.name = "urgency"}};
  Variable patience{constant(1.2), {.name = "patience"}};

  Tensor score(const Docket& docket) const { return matvec(docket.facts, urgency); }

  // The day on which each case is heard.
  Tensor day(const Tensor& score) const {
    const Tensor order = argsort(score, -1, true);  //!
    return cast(invert_permutation(order), DType::f32);  //~
  }
  Tensor expected_day(const Tensor& score) const {
    const Tensor later = sigmoid(expand_dims(score, 0) - expand_dims(score, 1));
    return reduce_sum(later, 1) - 0.5;
  }
};

Tensor burden(const Clerk& clerk, const Docket& docket, bool soft) {
  const Tensor score = clerk.score(docket);
  const Tensor day = soft ? clerk.expected_day(score) : clerk.day(score);  //~
  const Tensor weight = stop_gradient(docket.cost_per_day / reduce_sum(docket.cost_per_day));
  return reduce_sum(weight * pow(1.0 + day, clerk.patience));
}

int main(int argc, char**) {
  const Clerk clerk;
  const Docket docket{reshape(sin(linspace(0.0, 8.0, 15)), {5, 3}), constant({3.0, 1.0, 4.0, 1.5, 2.0})};
  Adam adam(0.01);
  std::vector<Tensor> gradients;
  for (int term = 0; term < 4; ++term) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = burden(clerk, docket, argc > 1);
    }
    gradients = tape.gradient(loss, {clerk.urgency, clerk.patience});
    adam.apply_gradients(gradients, {clerk.urgency, clerk.patience});
  }
  report("urgency", gradients[0]);
  report("patience", gradients[1]);
}
