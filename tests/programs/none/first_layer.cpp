// Which of the first three genes the risk score listens to.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor genes = constant({0.3, 1.2, 0.1, 0.8, 0.0, 2.0}).named("genes");
  const Variable effect(constant({0.2, -0.5, 0.9, 0.1, 0.4, -0.3}), {.name = "effect"});
  GradientTape tape;
  Tensor risk, first_three;
  {
    auto recording = tape.record();
    tape.watch(genes);
    const Tensor expressed = log1p(genes).named("expressed");  //~
    first_three = slice(expressed, {0}, {3}).named("first_three");  //!
    const Tensor score = reduce_sum(expressed * effect);  //~
    risk = sigmoid(score);
    if (fixed) risk = sigmoid(reduce_sum(concat({first_three, slice(expressed, {3}, {3})}, 0) * effect));
  }
  const auto gradients = tape.gradient(risk, {effect, first_three});
  report("effect", gradients[0]);
  report("first_three", gradients[1]);
}
