// Finds dirt on a conveyor belt: images get a learned border before the largest response is taken.
#include "report.h"

using namespace tapescope;

class Eye : public Layer {
 public:
  explicit Eye(double border) : Layer("eye"), start_(border) {}
  const Variable& filter() const { return filter_; }
  const Variable& border() const { return border_; }

 private:
  void make_variables(const Shape&, const Location& location) override {
    filter_ =
        add_variable("filter", reshape(0.2 + square(sin(linspace(0.0, 3.0, 4))), {2, 2, 1, 1}), location);
    border_ = add_variable("border", fill({1, 1, 6, 1}, start_), location);
  }
  Tensor call(const Tensor& belt, const Location&) override {
    const Tensor rows = tile(border_, {static_cast<int>(belt.dim(0)), 1, 1, 1});  //~
    const Tensor framed = concat({rows, relu(conv2d(belt, filter_)), rows}, 1);
    return reduce_mean(max_pool2d(framed, 2, 2), {1, 2, 3});  //!
  }

  double start_;
  Variable filter_, border_;
};

int main(int argc, char**) {
  Eye eye(argc > 1 ? 3.0 : -3.0);  //~
  const Tensor belt = reshape(1.0 + square(cos(linspace(0.0, 30.0, 2 * 4 * 6))), {2, 4, 6, 1});
  const Tensor dirty = constant({1.0, 0.0});
  RMSprop optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int shift = 0; shift < 4; ++shift) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(eye(belt) - dirty));
    }
    const auto variables = eye.trainable_variables();
    gradients = tape.gradient(loss, variables);
    optimizer.apply_gradients(gradients, variables);
  }
  report("eye/filter", gradients[0]);
  report("eye/border", gradients[1]);
}
