// Denoises a photograph; the gradient of the edge stop is written by hand because it is steep.
#include "report.h"

using namespace tapescope;

class Denoiser {
 public:
  Tensor edge_stop(const Tensor& difference) const { return edges_(difference); }
  Tensor step(const Tensor& row, const Tensor& strength) const {
    const Tensor right = roll(row, -1, 0) - row, left = roll(row, 1, 0) - row;
    return row + strength * (edge_stop(right) * right + edge_stop(left) * left);
  }
  Tensor strength() const { return softplus(raw_strength); }  //~

  Variable raw_strength{constant(-1.0), {.name = "raw_strength"}};
  Variable tone{constant(1.0), {.name = "tone"}};

 private:
  CustomGradient edges_ = custom_gradient("edge_stop", [](std::span<const Tensor> d) {
    const Tensor stop = exp(-square(d[0]));
    return WithGradient{.outputs = {stop}, .gradient = [x = d[0], stop](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * -2.0 * x * stop};
                        }};
  });
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Denoiser denoiser;
  const Tensor noisy = constant({0.2, 0.25, 0.8, 0.9, 0.85, 0.1}),
               clean = constant({0.2, 0.2, 0.9, 0.9, 0.9, 0.1});
  const Tensor strength = denoiser.strength();  //!
  GradientTape tape;
  Tensor error;
  {
    auto recording = tape.record();
    Tensor row = noisy * denoiser.tone;
    for (int pass = 0; pass < 3; ++pass) row = denoiser.step(row, fixed ? denoiser.strength() : strength);
    error = reduce_mean(square(row - clean));
  }
  const auto gradients = tape.gradient(error, {denoiser.raw_strength, denoiser.tone});
  report("raw_strength", gradients[0]);
  report("tone", gradients[1]);
}
