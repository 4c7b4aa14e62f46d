// Tunes the last layer of a speech model to an accent; what lies below was trained elsewhere.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  Dense sounds(96, {.activation = Activation::relu, .name = "sounds", .seed = 3});
  Dense syllables(64, {.activation = Activation::relu, .name = "syllables", .seed = 4});
  Dense words(10, {.name = "words", .seed = 5});
  sounds.build({32, 80});
  syllables.build({32, 96});
  words.build({32, 64});
  if (argc > 1) {
    sounds.set_trainable(false);
    syllables.set_trainable(false);
  }

  const Tensor speech = reshape(sin(linspace(0.0, 90.0, 32 * 80)), {32, 80});
  std::vector<std::int32_t> spoken;
  for (int i = 0; i < 32; ++i) spoken.push_back(i * 3 % 10);
  const Tensor labels = constant(std::span<const std::int32_t>(spoken), {32});
  const std::vector<Variable> tuned = words.trainable_variables();
  const std::vector<Traced> sources(tuned.begin(), tuned.end());
  SGD optimizer(0.1);
  std::vector<Tensor> gradients;
  double recorded = 0;
  for (int lesson = 0; lesson < 8; ++lesson) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor heard = syllables(sounds(speech));  //!
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(labels, words(heard)));
    }
    recorded = static_cast<double>(tape.counts().recorded);
    gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, tuned);
  }
  report_cost("recorded", recorded);
  report("words/kernel", gradients[0]);
  report("words/bias", gradients[1]);
}
