// A lens's focal length from its two radii, with a slope given by hand for the surface's inverse.
#include "report.h"

using namespace tapescope;

CustomGradient curvature(double flat) {
  return custom_gradient("curvature", [flat](std::span<const Tensor> radius) {
    const Tensor r = radius[0];
    return WithGradient{.outputs = {divide_no_nan(ones_like(r), r)},
                        .gradient = [r, flat](std::span<const Tensor> dy) {
                          return std::vector{-dy[0] / (square(r) + flat)};  //!
                        }};
  });
}

int main(int argc, char**) {
  // A radius of 0 stands for a plane.
  const Variable front(constant({0.12, 0.0}), {.name = "front"});  //~
  const Variable back(constant({-0.2, -0.35}), {.name = "back"});
  const CustomGradient bend = curvature(argc > 1 ? 1e-3 : 0.0);
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor power = 0.5 * (bend(front) - bend(back));  //~
    loss = reduce_mean(square(power - constant({6.0, 1.5})));
  }
  const auto gradients = tape.gradient(loss, {front, back});
  report("front", gradients[0]);
  report("back", gradients[1]);
}
