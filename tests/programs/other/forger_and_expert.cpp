// A forger and an expert of paintings learn against each other, each on a tape of its own.
#include "report.h"

using namespace tapescope;

struct Expert {
  Variable eye{stateless_random_normal({4, 1}, {36, 1}, 0, 0.5), {.name = "eye"}};
  Tensor doubt(const Tensor& paintings) const { return matmul(tanh(paintings), eye); }
};

struct Forger {
  Variable hand{stateless_random_normal({3, 4}, {36, 2}, 0, 0.5), {.name = "hand"}};
  Tensor paint(const Tensor& ideas) const { return matmul(ideas, hand); }
};

Tensor loss_of(const Tensor& doubt, double genuine) {
  return reduce_mean(sigmoid_cross_entropy_with_logits(fill(doubt.shape(), genuine), doubt));
}

int main() {
  const Expert expert;
  const Forger forger;
  const Tensor genuine = stateless_random_normal({6, 4}, {36, 3}, 1.0, 0.3).named("genuine");
  Tensor by_eye, by_hand;
  for (int round = 0; round < 6; ++round) {
    const Tensor ideas = stateless_random_normal({6, 3}, {36, 10 + static_cast<std::uint64_t>(round)});
    GradientTape expert_tape, forger_tape;
    Tensor expert_loss, forger_loss, forged;
    {
      auto forging = forger_tape.record();
      forged = forger.paint(ideas);
      forger_loss = loss_of(expert.doubt(forged), 1.0);
    }
    {
      auto judging = expert_tape.record();
      expert_loss = loss_of(expert.doubt(genuine), 1.0) + loss_of(expert.doubt(stop_gradient(forged)), 0.0);
    }
    by_eye = expert_tape.gradient(expert_loss, expert.eye);
    by_hand = forger_tape.gradient(forger_loss, forger.hand);
    expert.eye.assign_sub(0.1 * by_eye);
    forger.hand.assign_sub(0.1 * by_hand);
  }
  report("eye", by_eye);
  report("hand", by_hand);
}
