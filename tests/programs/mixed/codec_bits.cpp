// Compresses seismic traces: a learned step size quantizes the coefficients, and noise is weighed against
// bits.
#include "report.h"

using namespace tapescope;

// Rounds on the way forward and lets the gradient through.
CustomGradient quantizer(bool by_step) {
  return custom_gradient("quantize", [by_step](std::span<const Tensor> x) {
    const Tensor scaled = x[0] / x[1], whole = round(scaled);
    return WithGradient{.outputs = {whole * x[1]}, .gradient = [=](std::span<const Tensor> dy) {
                          const Tensor by_width = reduce_sum(dy[0] * (whole - scaled));
                          return std::vector<Tensor>{dy[0], by_step ? by_width : Tensor()};  //!
                        }};
  });
}

struct Codec {
  Variable basis{reshape(cos(linspace(0.0, 8.0, 16)), {4, 4}), {.name = "basis"}};
  Variable step{0.25, {.name = "step"}};
  CustomGradient quantize;

  Tensor noise(const Tensor& traces) const {
    const Tensor coded = quantize(matmul(traces, basis), step);  //~
    const Tensor heard = matmul(coded, basis, false, true);
    return reduce_mean(square(heard - traces));
  }
};

int main(int argc, char**) {
  const Codec codec{.quantize = quantizer(argc > 1)};
  SGD optimizer(0.01, {{.clipnorm = 1.0}});
  const Tensor traces = reshape(sin(linspace(0.0, 11.0, 24)), {6, 4});
  std::map<std::string, Tensor> gradients;
  for (int quake = 0; quake < 4; ++quake) {
    GradientTape tape;
    Tensor noise;
    {
      auto recording = tape.record();
      noise = codec.noise(traces);
    }
    gradients = tape.gradient(noise, {{"basis", codec.basis}, {"step", codec.step}});
    optimizer.apply_gradients({gradients.at("basis"), gradients.at("step")}, {codec.basis, codec.step});
  }
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
