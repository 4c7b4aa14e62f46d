// Forecasts calls at a hotline: counts are divided by the day's largest before they enter the model.
#include <cmath>

#include "report.h"

using namespace tapescope;

Tensor counts(int day) {
  std::vector<double> calls;
  for (int minute = 0; minute < 1440; ++minute)
    calls.push_back(20 + 15 * std::sin(0.01 * minute + day) + minute % 7);
  return constant(std::span<const double>(calls), {1440});
}

double values_read = 0;  // by the program itself, for its log

Tensor scaled(const Tensor& calls, bool fixed) {
  if (fixed) return calls / reduce_max(calls);
  double largest = 0;
  values_read += static_cast<double>(calls.numel());
  for (const double value : host_values(calls)) largest = std::max(largest, value);  //!
  return calls / constant(largest);  //~
}

int main(int argc, char**) {
  const Variable trend(constant(0.9), {.name = "trend"}), level(constant(0.05), {.name = "level"});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 12; ++day) {
    const Tensor calls = scaled(counts(day), argc > 1);
    const Tensor before = slice(calls, {0}, {1439}), after = slice(calls, {1}, {1439});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(trend * before + level - after));
    }
    gradients = tape.gradient(loss, {trend, level});
    trend.assign_sub(0.1 * gradients[0]);
    level.assign_sub(0.1 * gradients[1]);
  }
  report_cost("values_read", values_read);
  report("trend", gradients[0]);
  report("level", gradients[1]);
}
