// Trains a sparse model: gates are to be pushed towards zero by a penalty.
#include "report.h"

using namespace tapescope;

class Gated {
 public:
  Tensor predict(const Tensor& genes) const { return matvec(genes, weights); }
  Tensor gated(const Tensor& genes) const { return matvec(genes, weights * sigmoid(gates)); }
  Tensor sparsity() const { return reduce_sum(sigmoid(gates)); }  //~

  Variable weights{constant({0.9, -0.1, 0.4}), {.name = "weights"}};
  Variable gates{constant({1.0, -0.5, 0.3}), {.name = "gates"}};
};

struct Losses {
  Tensor fit, sparsity, total;
};

Losses losses(const Gated& model, const Tensor& genes, const Tensor& trait, bool fixed) {
  Losses all;
  all.sparsity = 0.05 * model.sparsity();  //~
  all.fit = reduce_mean(square((fixed ? model.gated(genes) : model.predict(genes)) - trait));
  all.total = fixed ? all.fit + all.sparsity : all.fit * 1.0;  //!
  return all;
}

int main(int argc, char**) {
  const Gated model;
  const Tensor genes = constant({{1.0, 0.2, 0.5}, {0.3, 0.9, 0.1}, {0.6, 0.4, 1.2}}),
               trait = constant({0.8, 0.1, 0.9});
  std::vector<Tensor> gradients;
  for (int step = 0; step < 5; ++step) {
    GradientTape tape;
    Losses all;
    {
      auto recording = tape.record();
      all = losses(model, genes, trait, argc > 1);
    }
    gradients = tape.gradient(all.total, {model.weights, model.gates});  //~
    model.weights.assign_sub(0.1 * gradients[0]);
  }
  report("weights", gradients[0]);
  report("gates", gradients[1]);
}
