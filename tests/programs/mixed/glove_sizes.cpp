// Clusters hands into glove sizes; each round's centres start from the last round's.
#include "report.h"

using namespace tapescope;

struct Hands {
  Tensor measures = constant({{17.0, 7.2}, {18.5, 8.0}, {20.0, 8.9}, {21.5, 9.4}, {19.0, 8.4}});
};

Tensor softly(const Tensor& measures, const Tensor& centres) {
  const Tensor gaps = reduce_sum(square(expand_dims(measures, 1) - expand_dims(centres, 0)), 2);
  const Tensor share = softmax(-gaps / 2.0, 1);
  const Tensor sums = matmul(share, measures, true, false);
  return sums / expand_dims(reduce_sum(share, 0), 1);
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Hands hands;
  Tensor place = constant({{17.5, 7.5}, {20.5, 9.0}}).named("place");
  Tensor spread;
  Tensor gradient;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    {
      auto recording = tape.record();
      tape.watch(place);
      const Tensor moved = softly(hands.measures, place);  //~
      spread = reduce_mean(square(softly(hands.measures, moved) - moved));
      if (!fixed) place = (0.5 * (place + moved)).named("place");  //!
    }
    gradient = tape.gradient(spread, place);  //~
    if (fixed) place = (0.5 * (place + softly(hands.measures, place))).named("place");
  }
  report("place", gradient);
}
