// Age and health of trees from leaf measurements, two heads on one trunk.
#include "report.h"

using namespace tapescope;

class TreeNet : public Layer {
 public:
  explicit TreeNet(bool with_health) : Layer("tree"), with_health_(with_health) {}
  std::vector<Layer*> sublayers() override { return {&trunk, &age, &health}; }

  Dense trunk{4, {.activation = Activation::silu, .name = "trunk"}};
  Dense age{1, {.name = "age"}}, health{1, {.name = "health"}};

 private:
  void make_variables(const Shape&, const Location& location) override {
    age.build({1, 4}, location);
    health.build({1, 4}, location);  //~
  }
  Tensor call(const Tensor& leaves, const Location&) override {
    const Tensor features = trunk(leaves);
    Tensor out = age(features);  //~
    if (with_health_) out = out + sigmoid(health(features));
    return out;
  }
  bool with_health_;
};

int main(int argc, char**) {
  TreeNet net(argc > 1);
  Adam optimizer(0.01);
  const Tensor leaves = constant({{0.4, 1.2}, {0.9, 0.3}, {1.5, 0.8}}),
               ages = constant({{0.2}, {0.6}, {0.9}});
  net.build(leaves.shape());  //!
  std::vector<Tensor> gradients;
  for (int step = 0; step < 10; ++step) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = MeanSquaredError()(ages, net(leaves, true));  //~
    }
    gradients = tape.gradient(loss, {net.trunk.kernel(), net.age.kernel(), net.health.kernel()});
    optimizer.apply_gradients(gradients, {net.trunk.kernel(), net.age.kernel(), net.health.kernel()});
  }
  report(net.trunk.kernel().name(), gradients[0]);
  report(net.age.kernel().name(), gradients[1]);
  report(net.health.kernel().name(), gradients[2]);
}
