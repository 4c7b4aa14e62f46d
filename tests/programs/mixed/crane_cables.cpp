// Tensions in the cables of a crane and how each depends on all lengths, for its control.
#include "report.h"

using namespace tapescope;

Tensor tensions(const Variable& lengths, const Tensor& load) {
  const Tensor apart = expand_dims(lengths, 0) - expand_dims(lengths, 1);
  return load * sqrt(1.0 + square(lengths)) + reduce_sum(tanh(apart), 1);
}

struct Stiffness {
  std::vector<Tensor> rows;
  Tensor matrix;
};

Stiffness row_by_row(const Variable& lengths, const Tensor& load) {
  GradientTape tape({.persistent = true});
  std::vector<Tensor> pulls;
  {
    auto recording = tape.record();
    pulls = unstack(tensions(lengths, load));
  }
  Stiffness found;
  for (std::size_t cable = 0; cable < pulls.size(); ++cable) {
    found.rows.push_back(tape.gradient(pulls[cable], lengths));  //!
  }
  found.matrix = stack(found.rows);  //~
  return found;
}

Stiffness whole(const Variable& lengths, const Tensor& load) {
  GradientTape tape;
  Tensor pulls;
  {
    auto recording = tape.record();
    pulls = tensions(lengths, load);
  }
  return {{}, tape.jacobian(pulls, lengths)};
}

int main(int argc, char**) {
  const Variable lengths(linspace(0.5, 2.0, 12), {.name = "lengths"});
  const Tensor load = cos(linspace(0.0, 1.0, 12));
  Stiffness found;
  for (int move = 0; move < 3; ++move) {
    found = argc > 1 ? whole(lengths, load) : row_by_row(lengths, load);
    lengths.assign_add(0.01 * matvec(found.matrix, load));
  }
  report("lengths", found.rows.empty() ? found.matrix[11] : found.rows.back());
}
