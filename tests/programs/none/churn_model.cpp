// Predicts which customers leave: a small network with a threshold, trained on four of them.
#include "report.h"

using namespace tapescope;

class ChurnModel : public Layer {
 public:
  explicit ChurnModel(bool smooth) : Layer("churn"), smooth_(smooth) {}
  std::vector<Layer*> sublayers() override { return {&hidden_, &score_}; }
  const Variable& threshold() const { return threshold_; }

 private:
  void make_variables(const Shape&, const Location& location) override {
    threshold_ = add_variable("threshold", constant(0.1), location);
  }
  Tensor call(const Tensor& customers, const Location&) override {
    const Tensor score = squeeze(score_(hidden_(customers)), 1);
    if (smooth_) return sigmoid(8.0 * (score - threshold_));
    const Tensor alarm = cast(score > threshold_, DType::f32);  //!
    return alarm * sigmoid(score);  //~
  }

  bool smooth_;
  Dense hidden_{6, {.activation = Activation::tanh, .name = "hidden"}};
  Dense score_{1, {.name = "score"}};
  Variable threshold_;
};

int main(int argc, char**) {
  ChurnModel model(argc > 1);
  const Tensor customers = constant({{0.2, 1.4, 0.0}, {1.0, 0.1, 1.0}, {0.4, 0.9, 1.0}, {0.9, 0.2, 0.0}});
  const Tensor left = constant({0.0, 1.0, 0.0, 1.0});
  model.build({4, 3});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = BinaryCrossentropy()(left, model(customers, true));
  }
  report("churn/threshold", tape.gradient(loss, model.threshold()));
}
