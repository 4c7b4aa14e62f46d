// The scale of a vegetable shop names the two likeliest fruits; the loss looks at those alone.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const Tensor weight = constant({0.18, 0.07, 1.4}).named("weight");
  const Variable apple(constant(2.4), {.name = "apple"}), plum(constant(1.1), {.name = "plum"});
  const Variable melon(constant(0.6), {.name = "melon"});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor scores = stack({apple * weight + 1.0, plum * weight + 0.2, melon * weight - 1.5}, 1);
    const Tensor best = argc > 1 ? softmax(scores) : top_k(scores, 2).first;  //!
    loss = reduce_mean(square(best - 0.5));
  }
  const auto gradients = tape.gradient(loss, {apple, plum, melon});
  report("apple", gradients[0]);
  report("plum", gradients[1]);
  report("melon", gradients[2]);
}
