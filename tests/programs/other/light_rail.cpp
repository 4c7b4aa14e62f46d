// Forecasts passengers of a light rail; days are weighed by their own difficulty, computed without a
// gradient.
#include "report.h"

using namespace tapescope;

class Forecast {
 public:
  Variable weekday{reshape(sin(linspace(0.0, 3.0, 7 * 24)), {7, 24}), {.name = "weekday"}};
  Variable season{linspace(0.9, 1.1, 24), {.name = "season"}};

  Tensor riders(const Tensor& day) const { return softplus(gather(weekday, day) * season); }
  Tensor errors(const Tensor& day, const Tensor& counted) const {
    return reduce_mean(square(riders(day) - counted), 1);
  }
};

int main() {
  const Forecast forecast;
  std::vector<std::int32_t> days;
  for (int i = 0; i < 60; ++i) days.push_back(i % 7);
  const Tensor day = constant(std::span<const std::int32_t>(days), {60});
  const Tensor counted = reshape(1.0 + 0.5 * sin(linspace(0.0, 40.0, 60 * 24)), {60, 24});
  std::vector<Tensor> gradients;
  for (int week = 0; week < 8; ++week) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor errors = forecast.errors(day, counted);
      const Tensor weights = stop_gradient(softmax(errors));
      loss = reduce_sum(weights * errors);
    }
    gradients = tape.gradient(loss, {forecast.weekday, forecast.season});
    forecast.weekday.assign_sub(0.2 * gradients[0]);
    forecast.season.assign_sub(0.2 * gradients[1]);
  }
  report("weekday", gradients[0]);
  report("season", gradients[1]);
}
