// Sharpens slices of a magnetic resonance scan. The scanner's code wants channels first, the filters want
// them last.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor channels_first(const Tensor& images) { return transpose(images, {0, 3, 1, 2}); }
Tensor channels_last(const Tensor& images) { return transpose(images, {0, 2, 3, 1}); }

struct Sharpener {
  Variable gain{ones({4}), {.name = "gain"}};
  Variable offset{zeros({4}), {.name = "offset"}};
  bool fixed;

  Tensor contrast(const Tensor& images) const { return images * gain; }
  Tensor clean(const Tensor& images) const { return tanh(images + offset); }

  Tensor operator()(const Tensor& images) const {
    if (fixed) return clean(contrast(images));
    const Tensor stretched = channels_first(contrast(images));  //~
    return clean(channels_last(stretched));  //!
  }
};

Tensor scan() {
  std::vector<double> values;
  for (int i = 0; i < 8 * 32 * 32 * 4; ++i) values.push_back(std::sin(0.01 * i));
  return constant(std::span<const double>(values), {8, 32, 32, 4});
}

int main(int argc, char**) {
  const Sharpener sharpen{.fixed = argc > 1};
  const Tensor images = scan();
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 5; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(sharpen(images) - 0.5));
    }
    gradients = tape.gradient(loss, {sharpen.gain, sharpen.offset});
    sharpen.gain.assign_sub(0.1 * gradients[0]);
    sharpen.offset.assign_sub(0.1 * gradients[1]);
  }
  report("gain", gradients[0]);
  report("offset", gradients[1]);
}
