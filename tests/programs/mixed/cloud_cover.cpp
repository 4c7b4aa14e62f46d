// Cloud cover from three channels, each brought to the range from 0 to 1 first. One sensor is stuck.
#include "report.h"

using namespace tapescope;

Tensor ranged(const Tensor& channels, bool guarded) {
  const Tensor low = reduce_min(channels, 0, true), high = reduce_max(channels, 0, true);
  if (guarded) return (channels - low) / (high - low + 1e-3);
  return (channels - low) / (high - low);  //!
}

class Cover {
 public:
  Variable weights{constant({0.5, -0.3, 0.8}), {.name = "weights"}};
  Variable bias{constant(0.05), {.name = "bias"}};

  Tensor share(const Tensor& channels) const { return sigmoid(matvec(channels, weights) + bias); }
};

int main(int argc, char**) {
  const Cover cover;
  std::vector<double> read;
  for (int i = 0; i < 12; ++i) {
    read.push_back(std::sin(0.7 * i));
    read.push_back(0.62);  //~
    read.push_back(std::cos(0.4 * i));
  }
  const Tensor channels = constant(std::span<const double>(read), {12, 3});
  const Tensor seen = linspace(0.1, 0.9, 12);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 4; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(cover.share(ranged(channels, argc > 1)) - seen));  //~
    }
    gradients = tape.gradient(loss, {cover.weights, cover.bias});
    cover.weights.assign_sub(0.1 * gradients[0]);
    cover.bias.assign_sub(0.1 * gradients[1]);
  }
  report("weights", gradients[0]);
  report("bias", gradients[1]);
}
