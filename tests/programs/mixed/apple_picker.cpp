// A picker takes apples that are ripe enough. The limit of ripeness is to be learned from what was paid.
#include "report.h"

using namespace tapescope;

struct Picker {
  Variable limit{constant(0.45), {.name = "limit"}};
  Variable price{constant(1.3), {.name = "price"}};

  Tensor picked(const Tensor& ripeness, bool soft) const {
    if (soft) return sigmoid((ripeness - limit) * 12.0);
    return cast(greater(ripeness, limit), DType::f32);  //!
  }
  Tensor earned(const Tensor& ripeness, const Tensor& sizes, bool soft) const {
    return price * reduce_sum(picked(ripeness, soft) * sizes);  //~
  }
};

int main(int argc, char**) {
  const Picker picker;
  const Tensor ripeness = linspace(0.0, 1.0, 11), sizes = 1.0 + 0.2 * cos(linspace(0.0, 9.0, 11));
  const Tensor paid = constant(6.0);
  SGD optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int tree = 0; tree < 4; ++tree) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(picker.earned(ripeness, sizes, argc > 1) - paid);
    }
    gradients = tape.gradient(miss, {picker.limit, picker.price});
    optimizer.apply_gradients({gradients[1]}, {picker.price});
  }
  report("limit", gradients[0]);
  report("price", gradients[1]);
}
