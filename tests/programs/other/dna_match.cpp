// How likely a strand of DNA is under a model of its letters: the product over all positions, then its
// logarithm.
#include "report.h"

using namespace tapescope;

Tensor strand(int length) {
  std::vector<std::int32_t> letters;
  for (int i = 0; i < length; ++i) letters.push_back((i * i + i / 3) % 4);
  return constant(std::span<const std::int32_t>(letters), {length});
}

Tensor log_likelihood(const Tensor& letters, const Variable& preference, bool fixed) {
  if (fixed) return reduce_sum(gather(log_softmax(preference), letters));
  const Tensor chances = gather(softmax(preference), letters);
  return log(reduce_prod(chances));  //!
}

int main(int argc, char**) {
  const Tensor letters = strand(120);
  const Variable preference(constant({0.1, -0.2, 0.3, 0.0}), {.name = "preference"});
  Tensor gradient;
  for (int round = 0; round < 2; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = -log_likelihood(letters, preference, argc > 1);
    }
    gradient = tape.gradient(loss, preference);
    preference.assign_sub(0.001 * gradient);
  }
  report("preference", gradient);
}
