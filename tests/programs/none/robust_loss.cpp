// A robust loss with a gradient of its own, so that outliers of the range finder do not dominate.
#include "report.h"

using namespace tapescope;

CustomGradient robust(bool both) {
  return custom_gradient("robust", [both](std::span<const Tensor> in) {
    const Tensor r = in[0], width = in[1];
    const Tensor loss = width * width * (sqrt(1.0 + square(r / width)) - 1.0);
    return WithGradient{.outputs = {loss}, .gradient = [r, width, both](std::span<const Tensor> dy) {
                          const Tensor root = sqrt(1.0 + square(r / width));
                          const Tensor by_r = dy[0] * r / root;
                          if (!both) return std::vector{by_r, Tensor()};  //!
                          const Tensor by_width =
                              dy[0] * (2.0 * width * (root - 1.0) - square(r) / (width * root));
                          return std::vector{by_r, reduce_sum(by_width)};
                        }};
  });
}

int main(int argc, char**) {
  const CustomGradient loss_of = robust(argc > 1);  //~
  const Variable place(constant(2.0), {.name = "place"}), width(constant(0.5), {.name = "width"});
  const Tensor ranges = constant({2.1, 2.3, 1.9, 7.5, 2.2});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(loss_of(ranges - place, width));  //~
  }
  const auto gradients = tape.gradient(loss, {place, width});
  report("place", gradients[0]);
  report("width", gradients[1]);
}
