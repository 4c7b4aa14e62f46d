// Foresees fog over a harbour in half precision, with a loss scale that the program keeps itself.
#include "report.h"

using namespace tapescope;

class Scale {
 public:
  Tensor up(const Tensor& loss) const { return loss * by_; }
  std::vector<Tensor> down(const std::vector<Tensor>& gradients) const {
    std::vector<Tensor> all;
    for (const Tensor& gradient : gradients) all.push_back(gradient / by_);
    return all;
  }
  bool fits(const std::vector<Tensor>& gradients) {
    for (const Tensor& gradient : gradients) {
      if (item(reduce_all(is_finite(gradient))) != 0) continue;
      by_ /= 4, good_ = 0;
      return false;
    }
    if (++good_ == 20) by_ *= 2, good_ = 0;
    return true;
  }

 private:
  double by_ = 4194304;
  int good_ = 0;
};

int main() {
  const Variable kernel(reshape(sin(linspace(0.0, 5.0, 12)), {4, 3}), {.name = "kernel"});
  const Variable bias(zeros({3}), {.name = "bias"});
  const Tensor air = reshape(cos(linspace(0.0, 20.0, 24)), {6, 4});
  const Tensor fog = reshape(abs(sin(linspace(0.0, 9.0, 18))), {6, 3});
  SGD optimizer(0.1);
  Scale scale;
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 10; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor guess = matmul(cast(air, DType::f16), cast(kernel, DType::f16)) + cast(bias, DType::f16);
      loss = scale.up(reduce_mean(square(cast(guess, DType::f32) - fog)));
    }
    gradients = scale.down(tape.gradient(loss, {kernel, bias}));
    if (scale.fits(gradients)) optimizer.apply_gradients(gradients, {kernel, bias});
  }
  report("kernel", gradients[0]);
  report("bias", gradients[1]);
}
