// Paints an image in the style of another: the image alone is to change, so the tape watches by hand.
#include "report.h"

using namespace tapescope;

Tensor gram(const Tensor& features) {
  return matmul(features, features, /*transpose_a=*/true) / static_cast<double>(features.dim(0));
}

class Painter {
 public:
  explicit Painter(bool watch_mix) : watch_mix_(watch_mix) {}

  std::vector<Tensor> step(const Tensor& wanted) const {
    GradientTape tape({.watch_accessed_variables = false});  //!
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(image);
      if (watch_mix_) tape.watch(mix);
      const Tensor features = tanh(matmul(image, matrix_));
      const Tensor blended = features * sigmoid(mix);  //~
      loss = reduce_sum(square(gram(blended) - wanted)) + 1e-3 * reduce_sum(square(image));
    }
    return tape.gradient(loss, {image, mix});
  }

  Variable image{constant({{0.1, 0.5}, {0.7, 0.2}, {0.4, 0.9}}), {.name = "image"}};
  Variable mix{constant({0.3, -0.2, 0.8}), {.name = "mix"}};

 private:
  Tensor matrix_ = constant({{0.6, -0.3, 0.2}, {0.1, 0.8, -0.5}});
  bool watch_mix_;
};

int main(int argc, char**) {
  const Painter painter(argc > 1);
  const Tensor wanted = constant({{0.2, 0.0, 0.1}, {0.0, 0.3, 0.0}, {0.1, 0.0, 0.2}});
  const auto gradients = painter.step(wanted);
  report("image", gradients[0]);
  report("mix", gradients[1]);
}
