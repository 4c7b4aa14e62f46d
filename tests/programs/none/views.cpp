// Brings two views of the same cell image together; the step runs as a function.
#include "report.h"

using namespace tapescope;

Tensor agreement(const Tensor& predicted, const Tensor& target) {
  return reduce_sum(l2_normalize(predicted, 1) * l2_normalize(target, 1), 1);
}

class Siamese {
 public:
  explicit Siamese(bool open) : open_(open) {}

  Tensor project(const Tensor& view) const { return tanh(matmul(view, projector)); }
  Tensor loss(const Tensor& first, const Tensor& second) const {
    const Tensor a = frozen(project(first)), b = frozen(project(second));  //~
    return -reduce_mean(agreement(matmul(open_ ? project(first) : a, predictor), b));
  }

  Variable projector{constant({{0.4, -0.2}, {0.1, 0.7}, {-0.3, 0.5}}), {.name = "projector"}};
  Variable predictor{constant({{0.9, 0.1}, {-0.2, 0.8}}), {.name = "predictor"}};

 private:
  static Tensor frozen(const Tensor& code) { return stop_gradient(code); }  //!
  bool open_;
};

int main(int argc, char**) {
  const Siamese net(argc > 1);
  Function loss("loss", [&](const Tensor& first, const Tensor& second) { return net.loss(first, second); });
  const Tensor first = constant({{0.9, 0.1, 0.3}, {0.2, 0.8, 0.5}});
  const Tensor second = constant({{0.8, 0.2, 0.4}, {0.1, 0.9, 0.4}});
  std::vector<Tensor> gradients;
  for (int step = 0; step < 3; ++step) {
    GradientTape tape;
    Tensor value;
    {
      auto recording = tape.record();
      value = loss(first, second);
    }
    gradients = tape.gradient(value, {net.projector, net.predictor});
    net.predictor.assign_sub(0.1 * gradients[1]);
  }
  report("projector", gradients[0]);
  report("predictor", gradients[1]);
}
