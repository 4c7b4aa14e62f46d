// Two losses of a translator in one traced step, forth and back.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable forth(constant({{0.8, 0.1}, {-0.2, 1.1}}), {.name = "forth"});
  const Variable back(constant({{1.0, 0.0}, {0.3, 0.7}}), {.name = "back"});  //~
  Function losses("losses", [&](const Tensor& words) {
    const Tensor there = tanh(matmul(words, forth));
    const Tensor loss_forth = reduce_mean(square(there - 0.4));  //!
    const Tensor loss_back = reduce_mean(square(matmul(there, back) - words));  //~
    return std::pair(loss_forth, loss_back);
  });
  const Tensor words = constant({{0.5, 0.9}, {0.1, 0.4}});
  GradientTape tape;
  Tensor total;
  {
    auto recording = tape.record();
    const auto [loss_forth, loss_back] = losses(words);  //~
    total = fixed ? loss_forth + loss_back : loss_forth;  //~
  }
  const auto gradients = tape.gradient(total, {forth, back});  //~
  report("forth", gradients[0]);
  report("back", gradients[1]);
}
