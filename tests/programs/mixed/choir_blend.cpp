// Shares of voices in a choir, and how loud they are together.
#include "report.h"

using namespace tapescope;

struct Choir {
  Variable voices{constant({0.3, -0.2, 0.8, 0.1}), {.name = "voices"}};
  Variable room{constant(0.9), {.name = "room"}};
  Tensor shares() const { return softmax(voices); }  //!
};

Tensor loudness(const Choir& choir, const Tensor& gains) {
  return choir.room * reduce_sum(choir.shares() * gains);  //~
}

int main(int argc, char**) {
  const Choir choir;
  const Tensor gains = argc > 1 ? constant({0.5, 1.0, 0.7, 1.2}) : ones({4});  //~
  std::vector<Tensor> gradients;
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(loudness(choir, gains) - 0.5);
  }
  gradients = tape.gradient(loss, {choir.voices, choir.room});
  report("voices", gradients[0]);
  report("room", gradients[1]);
}
