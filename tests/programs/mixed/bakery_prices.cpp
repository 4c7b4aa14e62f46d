// Finds the markup of a bakery; prices at the till are whole cents.
#include "report.h"

using namespace tapescope;

Tensor at_the_till(const Tensor& price, bool smooth) {
  if (smooth) return price;
  const Tensor cents = cast(100.0 * price + 0.5, DType::i32);  //!
  return cast(cents, DType::f32) / 100.0;
}

Tensor revenue(const Variable& markup, const Variable& taste, const Tensor& cost, bool smooth) {
  const Tensor price = at_the_till(cost * (1.0 + markup), smooth);  //~
  return reduce_sum((price - cost) * exp(-price / taste));
}

int main(int argc, char**) {
  const Variable markup(0.4, {.name = "markup"}), taste(2.0, {.name = "taste"});
  const Tensor cost = constant({0.8, 1.1, 2.4}).named("cost");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = -revenue(markup, taste, cost, argc > 1);
  }
  const auto gradients = tape.gradient(loss, {markup, taste});
  report("markup", gradients[0]);
  report("taste", gradients[1]);
}
