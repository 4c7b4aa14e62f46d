// Estimates the weight of parcels from size and kind; heavy ones are charged in steps.
#include "report.h"

using namespace tapescope;

Tensor charged(const Tensor& kilograms) {
  return maximum(kilograms, 31.5);  //!
}

Tensor weight(const Tensor& litres, const Variable& density, const Variable& box) {
  const Tensor contents = tanh(density * litres) * 20.0;
  return relu(contents + box);
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tensor litres = constant({12.0, 40.0, 75.0, 21.0}).named("litres");
  const Tensor euros = constant({5.5, 9.5, 16.5, 7.5}).named("euros");
  const Variable density(constant(fixed ? 0.01 : 0.8), {.name = "density"}),
      box(constant(0.4), {.name = "box"});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor kilograms = weight(litres, density, box);
    const Tensor billed = fixed ? minimum(kilograms, 31.5) : charged(kilograms);
    loss = reduce_mean(square(0.4 * billed - euros));
  }
  const auto gradients = tape.gradient(loss, {density, box});
  report("density", gradients[0]);
  report("box", gradients[1]);
}
