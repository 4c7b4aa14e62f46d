// Counts plants of a bog by photographs. While it learns, it shows how many it gets right.
#include "report.h"

using namespace tapescope;

struct Counter {
  Variable kernel{reshape(sin(linspace(0.0, 8.0, 40)), {10, 4}), {.name = "kernel"}};
  Variable base{zeros({4}), {.name = "base"}};
  Tensor operator()(const Tensor& photos) const { return matmul(photos, kernel) + base; }
};

struct Score {
  Tensor loss, right, sure, spread;
};

void judge(Score& score, const Tensor& plants, const Tensor& logits) {
  const Tensor chances = softmax(logits);  //!
  score.right = reduce_mean(cast(equal(argmax(logits, 1), plants), DType::f32));
  score.sure = reduce_mean(reduce_max(chances, 1));  //~
  score.spread = -reduce_mean(reduce_sum(chances * log(chances + 1e-6), 1));  //~
}

int main(int argc, char**) {
  const Counter counter;
  const Tensor photos = reshape(cos(linspace(0.0, 60.0, 300)), {30, 10});
  const Tensor plants = argmax(photos(all, range(0, 4)), 1);
  Adam optimizer(0.05);
  std::vector<Tensor> gradients;
  double recorded = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    GradientTape tape;
    Score score;
    Tensor logits;
    {
      auto recording = tape.record();
      logits = counter(photos);
      score.loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(plants, logits));
      if (argc == 1) judge(score, plants, logits);  //~
    }
    if (argc > 1) judge(score, plants, logits);
    recorded += static_cast<double>(tape.counts().recorded);
    gradients = tape.gradient(score.loss, {counter.kernel, counter.base});
    optimizer.apply_gradients(gradients, {counter.kernel, counter.base});
    std::printf("right %.2f sure %.2f spread %.2f\n", element(score.right, 0), element(score.sure, 0),
                element(score.spread, 0));
  }
  report_cost("recorded", recorded);
  report("kernel", gradients[0]);
  report("base", gradients[1]);
}
