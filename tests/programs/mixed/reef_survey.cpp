// Learns how much coral a photograph of a reef shows, with a segmentation head and a count head.
#include <map>
#include <string>

#include "report.h"

using namespace tapescope;

class ReefNet {
 public:
  ReefNet() {
    weights_.emplace("stem", Variable(stateless_random_normal({6, 8}, {3, 1}, 0, 0.4), {.name = "stem"}));
    weights_.emplace("mask", Variable(stateless_random_normal({8, 4}, {3, 2}, 0, 0.4), {.name = "mask"}));
    weights_.emplace("count", Variable(stateless_random_normal({4, 1}, {3, 3}, 0, 0.4), {.name = "count"}));
  }
  const Variable& operator[](const std::string& name) const { return weights_.at(name); }

  Tensor features(const Tensor& photo) const { return tanh(matmul(photo, weights_.at("stem"))); }
  Tensor coral(const Tensor& features) const { return sigmoid(matmul(features, weights_.at("mask"))); }
  Tensor amount(const Tensor& coral) const { return matmul(coral, weights_.at("count")); }

 private:
  std::map<std::string, Variable> weights_;
};

struct Photos {
  Tensor pixels = reshape(sin(linspace(0.0, 9.0, 30)), {5, 6}).named("pixels");
  Tensor colonies = constant({{1.0}, {3.0}, {2.0}, {4.0}, {2.0}}).named("colonies");
};

Tensor hard_mask(const Tensor& soft) {
  const Tensor present = round(soft);  //!
  return present;
}

Tensor count_loss(const ReefNet& net, const Photos& photos, bool fixed) {
  const Tensor soft = net.coral(net.features(photos.pixels));
  const Tensor mask = fixed ? soft : hard_mask(soft);  //~
  return reduce_mean(square(net.amount(mask) - photos.colonies));
}

int main(int argc, char**) {
  const ReefNet net;
  const Photos photos;
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  const std::vector<Variable> variables = {net["stem"], net["mask"], net["count"]};
  for (int epoch = 0; epoch < 6; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = count_loss(net, photos, argc > 1);
    }
    gradients = tape.gradient(loss, {net["stem"], net["mask"], net["count"]});
    optimizer.apply_gradients(gradients, variables);
  }
  report("stem", gradients[0]);
  report("mask", gradients[1]);
  report("count", gradients[2]);
}
