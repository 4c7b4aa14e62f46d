// Pitch of tin whistles: a partition sum over the holes that are closed.
#include "report.h"

using namespace tapescope;

class Whistle {
 public:
  Variable energy{constant({1.0, 2.5, 0.5, 3.0}), {.name = "energy"}};

  Tensor free_energy(const Tensor& cold) const {
    const Tensor terms = exp(energy * cold);  //!
    return log(reduce_sum(terms)) / cold;
  }
  Tensor stable(const Tensor& cold) const { return reduce_logsumexp(energy * cold) / cold; }
};

int main(int argc, char**) {
  const Whistle whistle;
  Tensor gradient;
  for (int round = 0; round < 6; ++round) {
    const Tensor cold = constant(2.0 * std::pow(2.0, round));  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square((argc > 1 ? whistle.stable(cold) : whistle.free_energy(cold)) - 2.0);
    }
    gradient = tape.gradient(loss, whistle.energy);
    whistle.energy.assign_sub(0.01 * gradient);
  }
  report("energy", gradient);
}
