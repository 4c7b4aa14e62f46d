// Actor and critic of a hopping robot on the moon. The critic learns by its own predictions one hop later.
#include "report.h"

using namespace tapescope;

struct Hops {
  Tensor states = reshape(sin(linspace(0.0, 6.0, 30)), {6, 5});
  Tensor next = reshape(sin(linspace(0.2, 6.2, 30)), {6, 5});
  Tensor actions = constant({0, 2, 1, 1, 0, 2});
  Tensor rewards = constant({0.1, 0.0, 0.4, -0.2, 0.3, 1.0});
};

// What each hop was better than expected, with the discount of a long jump.
Tensor surprise(const Tensor& rewards, const Tensor& now, const Tensor& then, bool on_host) {
  if (!on_host) return rewards + 0.95 * then - now;
  std::vector<double> values = host_values(now);  //!
  const std::vector<double> earned = host_values(rewards), later = host_values(then);
  for (std::size_t hop = 0; hop < values.size(); ++hop)
    values[hop] = earned[hop] + 0.95 * later[hop] - values[hop];
  return constant(values);  //~
}

int main(int argc, char**) {
  const Hops hops;
  Dense actor(3, {.name = "actor"}), critic(1, {.name = "critic"});
  actor.build({6, 5});
  critic.build({6, 5});
  const std::vector<Variable> sources{actor.kernel(), critic.kernel(), critic.bias()};
  std::vector<Tensor> gradients;
  for (int episode = 0; episode < 3; ++episode) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor now = squeeze(critic(hops.states), 1);
      const Tensor then = stop_gradient(squeeze(critic(hops.next), 1));
      const Tensor better = surprise(hops.rewards, now, then, argc == 1);  //~
      const Tensor chosen = sparse_softmax_cross_entropy_with_logits(hops.actions, actor(hops.states));
      loss = reduce_mean(chosen * stop_gradient(better)) + 0.5 * reduce_mean(square(better));
    }
    gradients = tape.gradient(loss, sources);
    actor.kernel().assign_sub(0.1 * gradients[0]);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) report(sources[i].name(), gradients[i]);
}
