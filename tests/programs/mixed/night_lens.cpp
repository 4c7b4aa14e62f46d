// Cleans photographs of faint galaxies in half precision, to fit larger plates into memory.
#include "report.h"

using namespace tapescope;

const DTypePolicy kHalf = DTypePolicy::named("mixed_float16");

struct Cleaner {
  Dense hidden{6, {.activation = Activation::tanh, .name = "hidden", .dtype = kHalf}};
  Dense clear{4, {.name = "clear", .dtype = kHalf}};
  std::vector<Variable> variables() { return {hidden.kernel(), clear.kernel()}; }

  Tensor plate(const Tensor& photons) {
    return cast(clear(hidden(photons)), DType::f32);  //!
  }
};

// Photons are counted per pixel and second, so that errors are tiny numbers.
Tensor error_of(const Tensor& plate, const Tensor& sky) {
  return 1e-8 * reduce_mean(square(plate - sky));  //~
}

int main(int argc, char**) {
  Cleaner cleaner;
  cleaner.hidden.build({3, 5});
  cleaner.clear.build({3, 6});
  const Tensor photons = reshape(sin(linspace(0.0, 8.0, 15)), {3, 5}),
               sky = reshape(linspace(0.0, 1.0, 12), {3, 4});
  SGD optimizer(0.1);
  LossScale scale({.initial_scale = 1e7});
  std::vector<Tensor> gradients;
  for (int night = 0; night < 4; ++night) {
    GradientTape tape;
    Tensor error, asked;
    {
      auto recording = tape.record();
      error = error_of(cleaner.plate(photons), sky);  //~
      asked = argc > 1 ? scale.scale_loss(error) : error;
    }
    const auto variables = cleaner.variables();
    gradients = tape.gradient(asked, variables);
    if (argc > 1) scale.apply_gradients(optimizer, gradients, variables);
    else optimizer.apply_gradients(gradients, variables);
  }
  report("hidden/kernel", gradients[0]);
  report("clear/kernel", gradients[1]);
}
