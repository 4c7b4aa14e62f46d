// Policy gradient for a board of nine fields: raises the chance of the moves that were played, by how the
// games ended.
#include <vector>

#include "report.h"

using namespace tapescope;

struct Game {
  Tensor boards, moves, outcome;
};

// Moves are written as a player says them, from field 10 to field 18.
Game read_games() {
  const std::vector<std::int32_t> played = {14, 10, 18, 12};
  return {.boards = constant({{1.0, 0, 0, -1}, {0, 1, -1, 0}, {1, 1, 0, 0}, {0, -1, 1, 1}}).named("boards"),
          .moves = constant(std::span<const std::int32_t>(played), {4}).named("moves"),  //~
          .outcome = constant({1.0, -1.0, 1.0, 0.5}).named("outcome")};
}

Tensor log_chance(const Tensor& logits, const Tensor& moves) {
  const Tensor chosen = one_hot(moves, 9);  //~
  return reduce_sum(log_softmax(logits) * chosen, -1);  //!
}

int main(int argc, char**) {
  const Game game = read_games();
  const Tensor moves = argc > 1 ? game.moves - constant(10, DType::i32) : game.moves;
  const Variable preference(stateless_random_normal({4, 9}, {5, 2}, 0, 0.3), {.name = "preference"});
  Tensor gradient;
  for (int round = 0; round < 4; ++round) {
    Tensor loss;
    GradientTape tape;
    {
      auto recording = tape.record();
      loss = -reduce_mean(game.outcome * log_chance(matmul(game.boards, preference), moves));
    }
    gradient = tape.gradient(loss, preference);
    preference.assign_sub(0.1 * gradient);
  }
  report("preference", gradient);
}
