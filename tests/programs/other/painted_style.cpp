// Paints a picture in another's style: the picture itself is what is trained.
#include "report.h"

using namespace tapescope;

Tensor gram(const Tensor& features) {
  const Tensor rows = reshape(features, {-1, features.dim(-1)});
  return matmul(rows, rows, true) / static_cast<double>(rows.dim(0));
}

struct Extractor {
  Variable filters{stateless_random_normal({3, 3, 3, 5}, {8, 1}, 0, 0.3),
                   {.name = "filters", .trainable = false}};
  bool fixed;

  Tensor operator()(const Tensor& image) const {
    const Tensor features = tanh(conv2d(image, filters));
    return fixed ? features : stop_gradient(features);  //!
  }
};

int main(int argc, char**) {
  const Extractor features{.fixed = argc > 1};
  const Tensor style = stateless_random_uniform({1, 6, 6, 3}, {8, 2}).named("style");
  const Variable picture(stateless_random_uniform({1, 6, 6, 3}, {8, 3}), {.name = "picture"});
  const Tensor wanted = gram(features(style));

  Tensor gradient;
  for (int step = 0; step < 3; ++step) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(square(gram(features(picture.value())) - wanted));
    }
    gradient = tape.gradient(loss, picture, {.unconnected = Unconnected::zero});
    picture.assign_sub(0.01 * gradient);
  }
  report("picture", gradient);
}
