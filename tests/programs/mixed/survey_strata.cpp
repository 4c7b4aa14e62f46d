// Weights an opinion poll by strata: the mean of each stratum is compared with the census.
#include "report.h"

using namespace tapescope;

struct Wave {
  Tensor age, stratum;
};

class Poll {
 public:
  explicit Poll(std::int64_t strata) : strata_(strata) {}
  Variable slope{constant(0.04), {.name = "slope"}};
  Variable intercept{constant(-1.5), {.name = "intercept"}};

  Tensor opinion(const Tensor& age) const { return sigmoid(intercept + slope * age); }
  Tensor means(const Wave& wave, bool guarded) const {
    const Tensor sum = unsorted_segment_sum(opinion(wave.age), wave.stratum, strata_);
    const Tensor size = unsorted_segment_sum(ones_like(wave.age), wave.stratum, strata_);  //~
    return guarded ? divide_no_nan(sum, size) : sum / size;  //!
  }

 private:
  std::int64_t strata_;
};

Wave wave(int number) {
  const Tensor age = linspace(22.0, 60.0 + 5.0 * number, 8);
  if (number == 2) return {age, constant({0, 0, 1, 1, 1, 3, 3, 3})};  //~
  return {age, constant({0, 0, 1, 1, 2, 2, 3, 3})};
}

int main(int argc, char**) {
  const bool guarded = argc > 1;
  const Poll poll(4);
  const Tensor census = constant({0.3, 0.4, 0.6, 0.7});
  Adam adam(0.01);
  const std::vector<Variable> fitted{poll.slope, poll.intercept};
  std::vector<Tensor> gradients;
  for (int number = 0; number < 4; ++number) {
    const Wave asked = wave(number);
    GradientTape tape;
    Tensor distance;
    {
      auto recording = tape.record();
      distance = reduce_sum(square(poll.means(asked, guarded) - census));
    }
    gradients = tape.gradient(distance, fitted);
    adam.apply_gradients(gradients, fitted);
  }
  report("slope", gradients[0]);
  report("intercept", gradients[1]);
}
