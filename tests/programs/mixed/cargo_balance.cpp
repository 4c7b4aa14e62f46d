// Balances containers on a ship. Moves are kept short by scaling the gradients down to a length.
#include "report.h"

using namespace tapescope;

constexpr double kLongest = 0.2;

struct Ship {
  Variable along{linspace(-1.0, 2.0, 40), {.name = "along"}};
  Variable across{cos(linspace(0.0, 9.0, 40)), {.name = "across"}};
  Tensor mass = 1.0 + square(sin(linspace(0.0, 4.0, 40)));

  Tensor tilt() const {
    const Tensor whole = reduce_sum(mass);
    return square(reduce_sum(mass * along) / whole) + square(reduce_sum(mass * across) / whole) +
           1e-3 * reduce_mean(square(along) + square(across));
  }
};

std::vector<Tensor> shortened(const std::vector<Tensor>& gradients) {
  std::vector<Tensor> moves;
  for (const Tensor& gradient : gradients) {
    double squares = 0;
    std::vector<double> values = host_values(gradient);  //!
    for (const double value : values) squares += value * value;
    const double factor = kLongest / std::max(std::sqrt(squares), kLongest);
    for (double& value : values) value *= factor;
    moves.push_back(constant(values));  //~
  }
  return moves;
}

int main(int argc, char**) {
  const Ship ship;
  std::vector<Tensor> moves;
  int reads = 0;
  for (int round = 0; round < 10; ++round) {
    GradientTape tape;
    Tensor tilt;
    {
      auto recording = tape.record();
      tilt = ship.tilt();
    }
    const auto gradients = tape.gradient(tilt, {ship.along, ship.across});
    if (argc > 1) {
      moves = {clip_by_norm(gradients[0], kLongest), clip_by_norm(gradients[1], kLongest)};
    } else {
      moves = shortened(gradients);  //~
      reads += 2;
    }
    ship.along.assign_sub(moves[0]);
    ship.across.assign_sub(moves[1]);
  }
  report_cost("host_reads", reads);
  report("along", moves[0]);
  report("across", moves[1]);
}
