// Where was a photo of a reef taken? A position is fitted by looking its depth up in a map.
#include "report.h"

using namespace tapescope;

class Map {
 public:
  explicit Map(int size)
      : depths_(reshape(sin(linspace(0.0, 11.0, size * size)), {size, size})), size_(size) {}

  Tensor depth(const Tensor& position, bool smooth) const {
    if (smooth) {
      const Tensor grid = linspace(0.0, size_ - 1.0, size_);
      const Tensor rows = exp(-square(grid - at(position, 0))),
                   columns = exp(-square(grid - at(position, 1)));
      return reduce_sum(depths_ * expand_dims(rows, 1) * expand_dims(columns, 0));
    }
    const Tensor cell = cast(position, DType::i32);  //!
    return gather_nd(depths_, cell);  //~
  }

 private:
  Tensor depths_;
  int size_;
};

int main(int argc, char**) {
  const Map map(8);
  const Variable position(constant({2.7, 4.2}), {.name = "position"}), tide(constant(0.1), {.name = "tide"});
  std::vector<Tensor> gradients;
  for (int photo = 0; photo < 3; ++photo) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(map.depth(position, argc > 1) + tide - 0.6);
    }
    gradients = tape.gradient(miss, {position, tide});
    tide.assign_sub(0.1 * gradients[1]);
  }
  report("position", gradients[0]);
  report("tide", gradients[1]);
}
