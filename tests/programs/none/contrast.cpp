// Enhances the contrast of a scan that is stored in eight bits.
#include "report.h"

using namespace tapescope;

Tensor to_bytes(const Tensor& scan) { return cast(clip_by_value(scan, 0.0, 255.0), DType::i32); }  //!
Tensor to_floats(const Tensor& bytes) { return cast(bytes, DType::f32); }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable contrast(constant(1.4), {.name = "contrast"}), gamma(constant(0.9), {.name = "gamma"});
  const Tensor scan = constant({12.0, 80.0, 130.0, 200.0}), wanted = constant({0.05, 0.3, 0.6, 0.95});
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    const Tensor stretched = (scan - 128.0) * contrast + 128.0;
    const Tensor stored = fixed ? relu(stretched) : to_floats(to_bytes(stretched));  //~
    apart = reduce_mean(square(pow((stored + 1.0) / 256.0, 1.0 * gamma) - wanted));
  }
  const auto gradients = tape.gradient(apart, {contrast, gamma});
  report("contrast", gradients[0]);
  report("gamma", gradients[1]);
}
