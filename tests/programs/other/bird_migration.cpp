// Follows a flock of birds day by day: where it is tomorrow depends on where it is today.
#include "report.h"

using namespace tapescope;

struct Flock {
  Variable memory{eye(24) * 0.6, {.name = "memory"}};
  Variable weather{reshape(sin(linspace(0.0, 9.0, 6 * 24)) * 0.3, {6, 24}), {.name = "weather"}};

  Tensor next(const Tensor& place, const Tensor& sky) const {
    return tanh(matmul(place, memory) + matmul(sky, weather));
  }
};

int main() {
  const Flock flock;
  constexpr int kDays = 40;
  const Tensor sky = reshape(sin(linspace(0.0, 55.0, 16 * kDays * 6)), {16, kDays, 6});
  const Tensor seen = reshape(cos(linspace(0.0, 7.0, 16 * 24)) * 0.3, {16, 24});
  std::vector<Tensor> gradients;
  for (int season = 0; season < 4; ++season) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor place = zeros({16, 24});
      for (int day = 0; day < kDays; ++day) place = flock.next(place, sky(all, day));
      loss = reduce_mean(square(place - seen));
    }
    gradients = tape.gradient(loss, {flock.memory, flock.weather});
    flock.memory.assign_sub(0.05 * gradients[0]);
    flock.weather.assign_sub(0.05 * gradients[1]);
  }
  report("memory", gradients[0]);
  report("weather", gradients[1]);
}
