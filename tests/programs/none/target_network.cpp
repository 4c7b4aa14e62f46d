// Q-learning with a slow copy of the values that follows the fast one.
#include "report.h"

using namespace tapescope;

struct Estimates {
  Variable fast{constant({0.3, 0.9, 0.5}), {.name = "fast"}};
  Variable slow{constant({0.2, 0.8, 0.4}), {.name = "slow"}};
  Variable discount{constant(0.9), {.name = "discount"}};
};

// The slow values after they moved a little towards the fast ones.
Tensor follow(const Estimates& q, bool as_tensor) {
  const Tensor moved = 0.95 * q.slow + 0.05 * q.fast;
  if (as_tensor) return moved;
  q.slow.assign(moved);  //!
  return q.slow.value();  //~
}

int main(int argc, char**) {
  const Estimates q;
  const Tensor next = constant({1, 2, 2}, DType::i32), reward = constant({0.1, 0.0, 1.0});
  GradientTape tape;
  Tensor error;
  {
    auto recording = tape.record();
    const Tensor expected = reward + q.discount * gather(follow(q, argc > 1), next);
    error = reduce_mean(square(expected - constant({0.4, 0.5, 1.2})));
  }
  const auto gradients = tape.gradient(error, {q.fast, q.discount});
  report("fast", gradients[0]);
  report("discount", gradients[1]);
}
