// Teaches a frozen language model new words by a small detour of low rank beside one of its layers.
#include "report.h"

using namespace tapescope;

struct Detour {
  Variable down, up;
  double strength = 2.0;

  Tensor operator()(const Tensor& hidden) const {
    const Tensor narrow = matmul(hidden, down);
    return strength * matmul(narrow, up);  //!
  }
};

int main(int argc, char**) {
  const Variable frozen(stateless_random_normal({6, 6}, {3, 1}, 0, 0.4),
                        {.name = "frozen", .trainable = false});
  const Tensor start = argc > 1 ? stateless_random_normal({6, 2}, {3, 2}, 0, 0.2) : zeros({6, 2});  //~
  const Detour detour{.down = Variable(start, {.name = "down"}),
                      .up = Variable(zeros({2, 6}), {.name = "up"})};
  const Tensor words = stateless_random_normal({5, 6}, {3, 4}).named("words");
  const Tensor wanted = stateless_random_normal({5, 6}, {3, 5}).named("wanted");

  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor hidden = matmul(words, frozen) + detour(words);
    loss = reduce_mean(square(hidden - wanted));
  }
  report("up", tape.gradient(loss, detour.up));
}
