// Deflection of a bridge deck: the load follows from its curvature, which is a second derivative.
#include "report.h"

using namespace tapescope;

class Deck {
 public:
  Variable stiffness{constant(1.8), {.name = "stiffness"}};
  Variable sag{constant(0.4), {.name = "sag"}};
  Tensor deflection(const Tensor& along) const { return sag * sin(stiffness * along) * along; }
};

// The slope of a function along its argument.
template <class F>
Tensor slope(GradientTape& tape, F&& f, const Tensor& along) {
  Tensor value;
  {
    auto recording = tape.record();
    tape.watch(along);
    value = f(along);
  }
  return tape.gradient(value, along);  //!
}

Tensor bending(const Deck& deck, const Tensor& along, bool nested) {
  GradientTape outer, inner;
  const auto shape = [&](const Tensor& x) { return deck.deflection(x); };
  if (nested) {
    return slope(
        outer, [&](const Tensor& x) { return slope(inner, shape, x); }, along);
  }
  const Tensor first = slope(inner, shape, along);  //~
  {
    auto recording = outer.record();
    outer.watch(along);
    const Tensor again = shape(along);
    std::fprintf(stderr, "deepest %.3f\n", item(reduce_max(again)));
  }
  return outer.gradient(first, along);  //~
}

int main(int argc, char**) {
  const Deck deck;
  const Tensor along = linspace(0.1, 1.4, 6).named("along");
  const Tensor curvature = bending(deck, along, argc > 1);  //~
  report("along", curvature);
}
