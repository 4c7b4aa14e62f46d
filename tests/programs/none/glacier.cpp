// The melt of a glacier in five bands of height, above the snow line and below it.
#include "report.h"

using namespace tapescope;

struct Glacier {
  Variable snow_line{constant(2900.0), {.name = "snow_line"}};
  Variable melt{constant(0.8), {.name = "melt"}};

  Tensor bare(const Tensor& height, bool smooth) const {
    const Tensor below = (snow_line - height) / 100.0;
    if (smooth) return sigmoid(below);
    const Tensor ice = cast(relu(below), DType::boolean);  //!
    return cast(ice, DType::f32);  //~
  }
};

int main(int argc, char**) {
  const Glacier glacier;
  const Tensor bands = constant({2500.0, 2700.0, 2880.0, 3000.0, 3300.0}),
               area = constant({1.0, 2.5, 3.0, 2.0, 0.5});
  GradientTape tape;
  Tensor balance;
  {
    auto recording = tape.record();
    const Tensor warmth = relu(8.0 - bands / 500.0);
    balance = square(reduce_sum(area * glacier.bare(bands, argc > 1) * glacier.melt * warmth) - 9.0);
  }
  const auto gradients = tape.gradient(balance, {glacier.snow_line, glacier.melt});
  report("snow_line", gradients[0]);
  report("melt", gradients[1]);
}
