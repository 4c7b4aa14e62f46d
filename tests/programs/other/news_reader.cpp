// Topics of headlines by an embedding; the words of a headline are padded, padding is left out of the mean.
#include "report.h"

using namespace tapescope;

struct Headlines {
  Tensor words, topics;
};

Headlines headlines() {
  const std::vector<std::int32_t> words = {3, 7, 1, 0, 0, 5, 2, 0, 0, 0, 9, 4, 7, 8, 0};
  const std::vector<std::int32_t> topics = {0, 1, 0};
  return {constant(std::span<const std::int32_t>(words), {3, 5}),
          constant(std::span<const std::int32_t>(topics), {3})};
}

int main() {
  Embedding embedding(12, 6, {.name = "words", .seed = 3});
  Dense topic(2, {.name = "topic", .seed = 3});
  embedding.build({3, 5});
  topic.build({3, 6});
  const Headlines news = headlines();
  const std::vector<Variable> variables = {embedding.embeddings(), topic.kernel(), topic.bias()};
  const std::vector<Traced> sources(variables.begin(), variables.end());
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 6; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor real = cast(not_equal(news.words, 0), DType::f32);
      const Tensor summed = reduce_sum(embedding(news.words) * expand_dims(real, -1), 1);
      const Tensor logits = topic(summed / reduce_sum(real, 1, true));
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(news.topics, logits));
    }
    gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, variables);
  }
  report("words/embeddings", gradients[0]);
  report("topic/kernel", gradients[1]);
}
