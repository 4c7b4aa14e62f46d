// Tells bats apart by their calls: a frozen filter bank, a hidden layer, and a head that starts from nothing.
#include "report.h"

using namespace tapescope;

struct BatNet {
  Tensor bank = reshape(cos(linspace(0.0, 20.0, 12 * 6)), {12, 6});
  Variable hidden{stateless_random_normal({6, 5}, {9, 4}, 0, 0.5), {.name = "hidden"}};
  Variable hidden_bias{constant({0.1, 0.1, 0.1, 0.1, 0.1}), {.name = "hidden_bias"}};
  Variable head;

  explicit BatNet(bool spread)
      : head(spread ? stateless_random_normal({5, 3}, {9, 5}, 0, 0.5) : zeros({5, 3}),  //~
             {.name = "head"}) {}

  Tensor logits(const Tensor& calls) const {
    const Tensor bands = log1p(square(matmul(calls, bank)));
    return matmul(tanh(matmul(bands, hidden) + hidden_bias), head);  //!
  }
};

int main(int argc, char**) {
  const BatNet net(argc > 1);
  const Tensor calls = reshape(sin(linspace(0.0, 70.0, 4 * 12)), {4, 12});
  const Tensor species = constant({0, 2, 1, 2});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(species, net.logits(calls)));
  }
  const auto gradients = tape.gradient(loss, {net.hidden, net.hidden_bias, net.head});
  report("hidden", gradients[0]);
  report("hidden_bias", gradients[1]);
  report("head", gradients[2]);
}
