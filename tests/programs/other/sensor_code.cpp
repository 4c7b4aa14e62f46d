// Squeezes eight vibration channels of a bearing into a code of three numbers and restores them.
#include <cmath>

#include "report.h"

using namespace tapescope;

class Autoencoder {
 public:
  Autoencoder(int channels, int code, bool fixed)
      : encode_(start({channels, code}, 1, fixed), {.name = "encode"}),  //~
        decode_(start({code, channels}, 2, fixed), {.name = "decode"}),  //~
        offset_(zeros({channels}), {.name = "offset"}) {}

  static Tensor start(const Shape& shape, std::uint64_t number, bool fixed) {
    return fixed ? stateless_random_normal(shape, {11, number}, 0, 0.4) : zeros(shape);  //~
  }

  Tensor operator()(const Tensor& signal) const {
    const Tensor code = tanh(matmul(signal, encode_));
    return matmul(code, decode_) + offset_;  //!
  }

  std::vector<Variable> variables() const { return {encode_, decode_, offset_}; }

 private:
  Variable encode_, decode_, offset_;
};

Tensor vibration(int rows, int channels) {
  std::vector<double> values;
  for (int i = 0; i < rows * channels; ++i) values.push_back(std::sin(0.9 * i) + 0.2 * std::cos(0.31 * i));
  return constant(std::span<const double>(values), {rows, channels});
}

int main(int argc, char**) {
  const Autoencoder autoencoder(8, 3, argc > 1);
  const Tensor signal = vibration(16, 8).named("signal");
  SGD optimizer(0.05);
  const std::vector<Variable> variables = autoencoder.variables();
  const std::vector<Traced> sources(variables.begin(), variables.end());
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 10; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(autoencoder(signal) - signal));
    }
    gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, variables);
  }
  report("encode", gradients[0]);
  report("decode", gradients[1]);
  report("offset", gradients[2]);
}
