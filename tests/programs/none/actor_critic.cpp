// Actor and critic on a corridor of three cells.
#include "report.h"

using namespace tapescope;

struct Agent {
  Variable preferences{constant({{0.2, -0.1}, {0.0, 0.4}, {0.3, 0.3}}), {.name = "preferences"}};
  Variable values{constant({0.1, 0.5, 0.9}), {.name = "values"}};
};

struct Episode {
  Tensor cells = constant({0, 1, 2}, DType::i32);
  Tensor moves = constant({1, 1, 0}, DType::i32);
  Tensor returns = constant({0.81, 0.9, 1.0});
};

Tensor loss_of(const Agent& agent, const Episode& episode, bool fixed) {
  const Tensor surprise = episode.returns - gather(agent.values, episode.cells);
  const Tensor advantage = stop_gradient(surprise);  //!
  const Tensor actor =
      sparse_softmax_cross_entropy_with_logits(episode.moves, gather(agent.preferences, episode.cells));
  const Tensor critic = square(fixed ? surprise : advantage);
  return reduce_mean(actor * advantage + 0.5 * critic);
}

int main(int argc, char**) {
  const Agent agent;
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = loss_of(agent, Episode(), argc > 1);
  }
  const auto gradients = tape.gradient(loss, {agent.preferences, agent.values});
  report("preferences", gradients[0]);
  report("values", gradients[1]);
}
