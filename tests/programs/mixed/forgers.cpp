// A forger of signatures and a clerk who separates them from real ones, each with an optimizer.
#include "report.h"

using namespace tapescope;

struct Forger {
  Variable stroke{constant({{0.3, -0.2}, {0.5, 0.1}}), {.name = "stroke"}};
  Tensor operator()(const Tensor& noise) const { return tanh(matmul(noise, stroke)); }
};
struct Clerk {
  Variable eye{constant({{0.4}, {-0.6}}), {.name = "eye"}};
  Tensor operator()(const Tensor& signature) const { return matmul(signature, eye); }
};

int main() {
  const Forger forger;
  const Clerk clerk;
  const Tensor real = constant({{0.9, 0.1}, {0.7, 0.2}}), noise = constant({{0.3, 0.8}, {-0.5, 0.4}});
  SGD forgers(0.1), clerks(0.1);
  Tensor of_forger, of_clerk;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape({.persistent = true});
    Tensor fooled, caught;
    {
      auto recording = tape.record();
      const Tensor forged = clerk(forger(noise)), genuine = clerk(real);
      fooled = reduce_mean(sigmoid_cross_entropy_with_logits(ones_like(forged), forged));
      caught = reduce_mean(sigmoid_cross_entropy_with_logits(ones_like(genuine), genuine)) +
               reduce_mean(sigmoid_cross_entropy_with_logits(zeros_like(forged), forged));
    }
    of_forger = tape.gradient(fooled, forger.stroke);
    of_clerk = tape.gradient(caught, clerk.eye);
    forgers.apply_gradients(std::vector{of_forger}, {forger.stroke});
    clerks.apply_gradients(std::vector{of_clerk}, {clerk.eye});
  }
  report("stroke", of_forger);
  report("eye", of_clerk);
}
