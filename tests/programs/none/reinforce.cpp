// Policy gradient on a bandit with three arms.
#include "report.h"

using namespace tapescope;

struct Policy {
  Variable preferences{constant({0.1, 0.4, -0.2}), {.name = "preferences"}};
  Tensor log_probability(int arm) const { return at(log_softmax(preferences), arm); }
};

// Expected reward of the arms that were pulled.
Tensor objective(const Policy& policy, const std::vector<int>& pulled, const std::vector<double>& rewards) {
  Tensor sum = constant(0.0);
  for (std::size_t i = 0; i < pulled.size(); ++i) sum = sum + rewards[i] * policy.log_probability(pulled[i]);
  return sum / static_cast<double>(pulled.size());
}

Tensor ascend(const Policy& policy, bool fixed) {
  const std::vector<int> pulled = {1, 0, 1, 2};
  const std::vector<double> rewards = {1.0, 0.2, 0.7, 0.1};
  GradientTape tape;
  Tensor gain, loss;
  {
    auto recording = tape.record();
    gain = objective(policy, pulled, rewards);
    if (fixed) loss = -gain;
  }
  if (!fixed) loss = -gain;  //!
  return tape.gradient(loss, policy.preferences);
}

int main(int argc, char**) {
  const Policy policy;
  report("preferences", ascend(policy, argc > 1));
}
