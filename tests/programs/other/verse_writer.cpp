// One head of attention over eight letters; a letter may not look at those that come after it.
#include <limits>

#include "report.h"

using namespace tapescope;

struct Head {
  Variable query{stateless_random_normal({6, 4}, {33, 1}, 0, 0.4), {.name = "query"}};
  Variable key{stateless_random_normal({6, 4}, {33, 2}, 0, 0.4), {.name = "key"}};
  Variable value{stateless_random_normal({6, 6}, {33, 3}, 0, 0.4), {.name = "value"}};

  Tensor operator()(const Tensor& letters) const {
    const Tensor scores = matmul(matmul(letters, query), matmul(letters, key), false, true) / 2.0;
    const Tensor earlier = matrix_band_part(ones({8, 8}), -1, 0) > 0.0;
    const Tensor masked = where(earlier, scores, -std::numeric_limits<double>::infinity());
    return matmul(softmax(masked), matmul(letters, value));
  }
};

int main() {
  const Head head;
  const Tensor letters = stateless_random_normal({8, 6}, {33, 4}).named("letters");
  const Tensor next = roll(letters, -1, 0);
  std::vector<Tensor> gradients;
  for (int line = 0; line < 4; ++line) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(head(letters) - next));
    }
    gradients = tape.gradient(loss, {head.query, head.key, head.value});
    head.query.assign_sub(0.1 * gradients[0]);
    head.key.assign_sub(0.1 * gradients[1]);
    head.value.assign_sub(0.1 * gradients[2]);
  }
  report("query", gradients[0]);
  report("key", gradients[1]);
  report("value", gradients[2]);
}
