// How a group of lifts shares calls: weights of waiting and of travelling, learned from complaints.
#include "report.h"

using namespace tapescope;

using Assignment = Function<Tensor(const Tensor&, const Tensor&)>;

struct Habits {
  Variable impatience{constant(1.5), {.name = "impatience"}};
  Variable pace{constant(2.2), {.name = "pace"}};
};

class Dispatcher {
 public:
  Dispatcher(const Habits& habits, bool live)
      : habits_(habits), live_(live), waits_("waits", [this](const Tensor& lifts, const Tensor& calls) {
          const Tensor apart = abs(expand_dims(calls, 1) - expand_dims(lifts, 0));
          const Tensor travel = apart / habits_.pace;
          const Tensor share = softmax(-travel * urgency());  //~
          return reduce_sum(share * travel, 1);
        }) {}

  Tensor waits(const Tensor& lifts, const Tensor& calls) const { return waits_(lifts, calls); }
  const Assignment& function() const { return waits_; }

 private:
  Tensor urgency() const {
    if (live_) return softplus(habits_.impatience);
    const double sharp = std::log1p(std::exp(element(habits_.impatience.peek(), 0)));  //!
    return constant(sharp);  //~
  }
  const Habits& habits_;
  bool live_;
  Assignment waits_;
};

int main(int argc, char**) {
  const Habits habits;
  const Dispatcher dispatcher(habits, argc > 1);
  const Tensor complaints = constant({0.9, 1.4, 0.7, 2.1, 1.2});
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 6; ++hour) {
    const Tensor lifts = constant({1.0, 4.0 + hour, 9.0});
    const Tensor calls = linspace(0.5, 10.0 - 0.3 * hour, 5);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(dispatcher.waits(lifts, calls) - complaints));
    }
    gradients = tape.gradient(loss, {habits.impatience, habits.pace});
    if (gradients[0]) habits.impatience.assign_sub(0.1 * gradients[0]);
    habits.pace.assign_sub(0.1 * gradients[1]);
  }
  report("impatience", gradients[0]);
  report("pace", gradients[1]);
  report_traces(dispatcher.function());
}
