// Reinforced presses: an actor and a critic that shares the body; each loss stops at what is not its own.
#include "report.h"

using namespace tapescope;

class Presses {
 public:
  Dense body{6, {.activation = Activation::tanh, .name = "body", .seed = 4}};
  Dense actor{3, {.name = "actor", .seed = 5}};
  Dense critic{1, {.name = "critic", .seed = 6}};
};

int main() {
  Presses presses;
  const Tensor cheeses = constant({{0.2, 1.0}, {0.8, 0.1}, {0.5, 0.5}});
  const Tensor chosen = constant({0, 2, 1});
  const Tensor reward = constant({1.0, 0.2, 0.6});
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int batch = 0; batch < 5; ++batch) {
    GradientTape tape({.persistent = true});
    Tensor actor_loss, critic_loss;
    {
      auto recording = tape.record();
      const Tensor codes = presses.body(cheeses);
      const Tensor value = squeeze(presses.critic(stop_gradient(codes)), 1);
      const Tensor advantage = stop_gradient(reward - value);
      actor_loss =
          reduce_mean(advantage * sparse_softmax_cross_entropy_with_logits(chosen, presses.actor(codes)));
      critic_loss = reduce_mean(square(reward - value));
    }
    const std::vector<Variable> acting = {presses.body.kernel(), presses.body.bias(), presses.actor.kernel()};
    const auto by_actor = tape.gradient(actor_loss, std::vector<Traced>(acting.begin(), acting.end()));
    const auto by_critic = tape.gradient(critic_loss, {presses.critic.kernel(), presses.critic.bias()});
    optimizer.apply_gradients(by_actor, acting);
    presses.critic.kernel().assign_sub(0.1 * by_critic[0]);
    presses.critic.bias().assign_sub(0.1 * by_critic[1]);
    gradients = {by_actor[0], by_actor[2], by_critic[0]};
  }
  report("body/kernel", gradients[0]);
  report("actor/kernel", gradients[1]);
  report("critic/kernel", gradients[2]);
}
