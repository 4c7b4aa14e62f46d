// Names the species of a leaf from the brightness of sixteen spots.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct Leaves {
  Tensor spots, species;
};

// Brightness from 0 to 255, as the scanner gives it.
Leaves scan(bool fixed) {
  std::vector<double> spots;
  const std::vector<std::int32_t> species = {0, 1, 2, 0, 1, 2};
  for (int leaf = 0; leaf < 6; ++leaf) {
    for (int spot = 0; spot < 16; ++spot)
      spots.push_back(spot % 3 == leaf % 3 ? 240 : std::round(20 + 5 * std::sin(spot)));
  }
  Tensor brightness = constant(std::span<const double>(spots), {6, 16}).named("brightness");  //~
  return {.spots = fixed ? brightness / 255.0 : brightness,
          .species = constant(std::span<const std::int32_t>(species), {6})};
}

Variable detectors() {
  std::vector<double> weights;
  for (int spot = 0; spot < 16; ++spot) {
    for (int species = 0; species < 3; ++species) weights.push_back(spot % 3 == species ? 0.5 : -0.25);
  }
  return Variable(constant(std::span<const double>(weights), {16, 3}), {.name = "detectors"});
}

int main(int argc, char**) {
  const Leaves leaves = scan(argc > 1);
  const Variable weights = detectors();
  const Variable bias(zeros({3}), {.name = "bias"});
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 4; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor logits = matmul(leaves.spots, weights) + bias;
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(leaves.species, logits));  //!
    }
    gradients = tape.gradient(loss, {weights, bias});
    weights.assign_sub(0.1 * gradients[0]);
    bias.assign_sub(0.1 * gradients[1]);
  }
  report("detectors", gradients[0]);
  report("bias", gradients[1]);
}
