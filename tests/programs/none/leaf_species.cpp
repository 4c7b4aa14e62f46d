// Classifies leaves by length, width and teeth; trained on how many it gets right.
#include "report.h"

using namespace tapescope;

struct Leaves {
  Tensor measures = constant({{5.1, 1.9, 0.0}, {6.3, 2.8, 1.0}, {4.7, 1.6, 0.0}, {6.0, 2.5, 1.0}});
  Tensor species = constant({0, 1, 0, 1}, DType::i64);
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Dense scores(2, {.name = "scores"});
  const Leaves leaves;
  scores.build(leaves.measures.shape());

  Function errors("errors", [&](const Tensor& measures, const Tensor& species) {
    const Tensor logits = scores(measures / 7.0);
    if (fixed) return reduce_mean(sparse_softmax_cross_entropy_with_logits(species, logits));
    const Tensor guess = argmax(logits, 1);  //!
    return 1.0 - reduce_mean(cast(equal(guess, species), DType::f32));  //~
  });

  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = errors(leaves.measures, leaves.species);
  }
  report("scores/kernel", tape.gradient(loss, scores.kernel()));
}
