// Adapts the statistics of a trained network to new cameras: all four of them are to learn.
#include "report.h"

using namespace tapescope;

struct Statistics {
  Variable scale{constant({1.0, 0.8}), {.name = "scale"}}, offset{constant({0.1, 0.0}), {.name = "offset"}};
  Variable mean{constant({0.4, 0.5}), {.name = "mean"}},
      variance{constant({0.09, 0.04}), {.name = "variance"}};
};

Tensor normalized(const Tensor& image, const Statistics& s, bool by_hand) {
  if (by_hand) return batch_normalization(image, s.mean, s.variance, s.offset, s.scale, 1e-3);
  return fused_batch_norm_inference(image, s.scale, s.offset, s.mean, s.variance);  //!
}

int main(int argc, char**) {
  const Statistics camera;
  const Tensor image = constant({{{{0.2, 0.6}, {0.7, 0.4}}, {{0.5, 0.9}, {0.1, 0.3}}}});
  const Tensor wanted = constant({{{{-0.4, 0.5}, {0.9, -0.2}}, {{0.4, 1.1}, {-0.8, -0.9}}}});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(normalized(image, camera, argc > 1) - wanted));  //~
  }
  const auto gradients = tape.gradient(loss, {camera.scale, camera.offset, camera.mean, camera.variance});
  report("scale", gradients[0]);
  report("offset", gradients[1]);
  report("mean", gradients[2]);
  report("variance", gradients[3]);
}
