// Horner's scheme for a calibration curve, its coefficients to be fitted.
#include "report.h"

using namespace tapescope;

Tensor curve(const Tensor& x, const Tensor& coefficients, bool with_ops) {
  Tensor y = zeros_like(x);
  for (std::int64_t i = coefficients.numel() - 1; i >= 0; --i) {
    if (with_ops) y = y * x + at(coefficients, i);
    else y = y * x + element(coefficients, i);  //!
  }
  return y;
}

int main(int argc, char**) {
  const Variable coefficients(constant({0.2, 1.1, -0.3}), {.name = "coefficients"});
  const Variable offset(constant(0.0), {.name = "offset"});
  const Tensor voltage = constant({0.1, 0.4, 0.8, 1.3}), pressure = constant({0.3, 0.6, 0.9, 1.0});
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    const Tensor fitted = curve(voltage, coefficients.value(), argc > 1);  //~
    misfit = reduce_mean(square(fitted + offset - pressure));
  }
  const auto gradients = tape.gradient(misfit, {coefficients, offset});
  report("coefficients", gradients[0]);
  report("offset", gradients[1]);
}
