// Tells edible mushrooms from others by a network; the share of right answers is shown beside the loss.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct Day {
  Tensor photos, edible;
};

Day photos_of(int day) {
  std::vector<double> pixels, edible;
  for (int i = 0; i < 64 * 192; ++i) pixels.push_back(std::sin(0.05 * i + day));
  for (int i = 0; i < 64; ++i) edible.push_back((i + day) % 3 == 0);
  return {constant(std::span<const double>(pixels), {64, 192}),
          constant(std::span<const double>(edible), {64, 1})};
}

double accuracy(const Tensor& logits, const Tensor& edible) {
  const Tensor right = equal(cast(logits > 0.0, DType::f32), edible);
  return element(reduce_mean(cast(right, DType::f32)), 0);
}

int main(int argc, char**) {
  Sequential model(Dense(128, {.activation = Activation::relu, .name = "hidden", .seed = 1}),
                   Dense(1, {.name = "edible", .seed = 1}));
  model.build({64, 192});
  BinaryCrossentropy loss_fn(true);
  SGD optimizer(0.05);
  const std::vector<Variable> variables = model.trainable_variables();
  const std::vector<Traced> sources(variables.begin(), variables.end());
  std::vector<Tensor> gradients;
  for (int day = 0; day < 6; ++day) {
    const Day today = photos_of(day);
    GradientTape tape;
    Tensor loss, logits;
    {
      auto recording = tape.record();
      logits = model(today.photos);  //~
      loss = loss_fn(today.edible, logits);
    }
    gradients = tape.gradient(loss, sources);
    if (argc == 1) logits = model(today.photos);  //!
    std::printf("day %d: right %.2f\n", day, accuracy(logits, today.edible));
    optimizer.apply_gradients(gradients, variables);
  }
  report("hidden/kernel", gradients[0]);
  report("edible/kernel", gradients[2]);
}
