// Regularization study: how strongly the loss pulls at each of the layers' weights.
#include "report.h"

using namespace tapescope;

struct Named {
  std::string name;
  Traced what;
};

class Net {
 public:
  Tensor operator()(const Tensor& x) const { return matvec(tanh(matmul(x, hidden)), output); }
  // The weights as the study lists them.
  std::vector<Named> weights(bool variables) const {
    if (variables) return {{"hidden", hidden}, {"output", output}};
    return {{"hidden", hidden}, {"output_weights", output.value().named("output_weights")}};  //!
  }

  Variable hidden{constant({{0.4, -0.7}, {0.2, 0.5}}), {.name = "hidden"}};
  Variable output{constant({0.9, -0.4}), {.name = "output"}};
};

int main(int argc, char**) {
  const Net net;
  const Tensor x = constant({{0.3, 1.0}, {0.8, -0.2}, {-0.5, 0.6}}), y = constant({0.2, 0.6, -0.3});
  GradientTape tape({.persistent = true});
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(net(x) - y));  //~
  }
  for (const Named& weight : net.weights(argc > 1)) {
    report(weight.name, tape.gradient(loss, weight.what));  //~
  }
}
