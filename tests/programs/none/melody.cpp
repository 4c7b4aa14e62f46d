// A recurrent net over a melody in windows; the first state is learned with the weights.
#include "report.h"

using namespace tapescope;

class Melody {
 public:
  Tensor window(const std::vector<double>& notes, Tensor& state) const {
    Tensor loss = constant(0.0);
    for (std::size_t i = 0; i + 1 < notes.size(); ++i) {
      state = tanh(input * notes[i] + recurrent * state);
      loss = loss + square(reduce_sum(state) - notes[i + 1]);
    }
    return loss;
  }

  Variable input{constant({0.4, -0.2}), {.name = "input"}};
  Variable recurrent{constant({0.7, 0.5}), {.name = "recurrent"}};
  Variable first_state{constant({0.1, 0.3}), {.name = "first_state"}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Melody melody;
  const std::vector<std::vector<double>> windows = {{0.2, 0.4, 0.5}, {0.5, 0.9, 0.7}, {0.7, 0.3, 0.2}};
  Tensor state;
  std::vector<Tensor> gradients;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      if (w == 0 || fixed) state = 1.0 * melody.first_state;  //!
      loss = melody.window(windows[w], state);  //~
    }
    gradients = tape.gradient(loss, {melody.input, melody.recurrent, melody.first_state});
  }
  report("input", gradients[0]);
  report("recurrent", gradients[1]);
  report("first_state", gradients[2]);
}
