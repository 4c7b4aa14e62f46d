// Guesses the endings of words in mixed precision; the loss is scaled by a power of two, gradients are
// divided by it.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor letters(int words, int size) {
  std::vector<double> values;
  for (int i = 0; i < words * size; ++i) values.push_back(std::sin(1.7 * i) + 0.3 * std::cos(0.11 * i));
  return constant(std::span<const double>(values), {words, size});
}

class Endings {
 public:
  explicit Endings(double scale) : scale_(scale) {}

  std::vector<Tensor> step(const Tensor& words, const Tensor& endings) {
    GradientTape tape;
    Tensor scaled;
    {
      auto recording = tape.record();
      const Tensor hidden = tanh(matmul(words, cast(inner, DType::f16)));
      const Tensor logits = matmul(hidden, cast(outer, DType::f16));
      const Tensor loss = reduce_sum(square(cast(logits, DType::f32) - endings));  //!
      scaled = loss * scale_;  //~
    }
    std::vector<Tensor> gradients = tape.gradient(scaled, {inner, outer});
    for (Tensor& gradient : gradients) gradient = gradient / scale_;
    inner.assign_sub(0.001 * gradients[0]);
    outer.assign_sub(0.001 * gradients[1]);
    return gradients;
  }

  Variable inner{stateless_random_normal({12, 8}, {9, 1}, 0, 0.3), {.name = "inner"}};
  Variable outer{stateless_random_normal({8, 5}, {9, 2}, 0, 0.3), {.name = "outer"}};

 private:
  double scale_;
};

int main(int argc, char**) {
  Endings model(argc > 1 ? 256.0 : 65536.0);  //~
  const Tensor words = cast(letters(32, 12), DType::f16), endings = letters(32, 5);
  std::vector<Tensor> gradients;
  for (int batch = 0; batch < 3; ++batch) gradients = model.step(words, endings);
  report("inner", gradients[0]);
  report("outer", gradients[1]);
}
