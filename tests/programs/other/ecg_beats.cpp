// Normalizes heart beats in half precision before they are compared with a template; the lead of one channel
// fell off.
#include "report.h"

using namespace tapescope;

struct Normalized {
  Tensor operator()(const Tensor& beats, double epsilon) const {
    const auto [mean, variance] = moments(beats, {1}, true);
    const Tensor centred = beats - mean;
    return centred / sqrt(variance + epsilon);  //!
  }
};

int main(int argc, char**) {
  const Tensor beats =
      constant({{0.1, 0.9, 0.2, 0.1}, {0.4, 0.4, 0.4, 0.4}, {0.0, 1.2, 0.1, 0.05}}, DType::f16)
          .named("beats");
  const Variable shape(constant({0.2, 1.0, 0.3, 0.1}, DType::f16), {.name = "shape"});
  const double epsilon = argc > 1 ? 1e-3 : 1e-8;  //~
  Tensor gradient;
  for (int pass = 0; pass < 2; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(Normalized()(beats, epsilon) - shape));
    }
    gradient = tape.gradient(loss, shape);
    shape.assign_sub(0.1 * gradient);
  }
  report("shape", gradient);
}
