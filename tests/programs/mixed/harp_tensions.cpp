// Tunes a harp: tensions of strings against measured pitches, with a table of the strings' weights.
#include <algorithm>
#include <numeric>

#include "report.h"

using namespace tapescope;

template <class Body>
Tensor each_string(const Tensor& values, Body body) {
  std::vector<double> kept(elements(values));  //!
  std::transform(kept.begin(), kept.end(), kept.begin(), body);
  return constant(kept);  //~
}

Tensor pitch(const Tensor& tension, bool fixed) {
  if (fixed) return sqrt(tension / 0.4);
  return each_string(tension, [](double pull) { return std::sqrt(pull / 0.4); });  //~
}

int main(int argc, char**) {
  const Variable tension(constant({1.2, 1.9, 2.4, 3.1}), {.name = "tension"});
  const Variable room(constant(0.1), {.name = "room"});
  const Tensor heard = constant({1.7, 2.2, 2.5, 2.9});
  GradientTape tape({.persistent = true});
  Tensor off;
  {
    auto recording = tape.record();
    off = reduce_sum(square(pitch(tension, argc > 1) + room - heard));
  }
  report("tension", tape.gradient(off, tension));
  report("room", tape.gradient(off, room));
}
