// How a player shares time over moves: a traced simulation of a game with a learned pace.
#include <optional>

#include "report.h"

using namespace tapescope;

class Player {
 public:
  Player() : pace_(constant(0.15), {.name = "pace"}) {}
  const Variable& pace() const { return pace_; }
  Tensor urgency(bool fixed) const {
    if (fixed) return exp(-pace_);
    if (!kept_) kept_ = exp(-pace_);  //!
    return *kept_;
  }

 private:
  Variable pace_;
  mutable std::optional<Tensor> kept_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Player player;
  player.urgency(fixed);
  const Function game("game", [&](const Tensor& clock) {
    Tensor left = clock;
    for (int move = 0; move < 6; ++move) left = left - 0.1 * left * player.urgency(fixed);  //~
    return left;
  });
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(game(constant(10.0)) - 2.0);
  }
  report("pace", tape.gradient(loss, player.pace()));
}
