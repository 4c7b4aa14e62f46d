// Straightens photographs from a camera below a kite: tilt and zoom by landmarks.
#include "report.h"

using namespace tapescope;

Tensor turned(const Tensor& marks, const Tensor& tilt) {
  const Tensor c = cos(tilt), s = sin(tilt);
  return matmul(marks, reshape(stack({c, -s, s, c}), {2, 2}));
}

// The mean over the landmarks that can be seen.
Tensor per_landmark(const Tensor& sum, const Tensor& seen) {
  const double count = item(reduce_sum(seen));
  if (count == 0) return constant(0.0);
  return sum / count;  //!
}

int main(int argc, char**) {
  const Variable tilt(0.3, {.name = "tilt"}), zoom(1.2, {.name = "zoom"});
  const Tensor marks = constant({{0.0, 1.0}, {2.0, 0.5}, {-1.0, 1.5}, {0.5, -2.0}});
  const Tensor map = constant({{0.1, 1.1}, {2.2, 0.1}, {-0.8, 1.9}, {0.2, -2.1}});
  const Tensor seen = constant({1.0, 1.0, 0.0, 1.0});
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    const Tensor apart = clip_by_value(zoom * turned(marks, tilt) - map, -3.0, 3.0);
    miss = reduce_sum(seen * reduce_sum(square(apart), 1));
    if (argc > 1) miss = per_landmark(miss, seen);
  }
  if (argc == 1) miss = per_landmark(miss, seen);  //~
  const auto gradients = tape.gradient(miss, std::vector{tilt, zoom});
  report("tilt", gradients[0]);
  report("zoom", gradients[1]);
}
