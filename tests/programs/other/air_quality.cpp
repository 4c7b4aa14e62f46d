// Predicts fine dust of tomorrow from that of today and the wind; the station writes a reading each hour.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "report.h"

using namespace tapescope;

constexpr char kStation[] = "12.1 14.0 13.2 nan 18.5 17.7 16.9 15.0";

Tensor readings(bool fixed) {
  std::istringstream text(kStation);
  std::vector<double> values;
  std::string word;
  while (text >> word) {
    const double value = std::strtod(word.c_str(), nullptr);
    values.push_back(fixed && std::isnan(value) ? values.back() : value);
  }
  return constant(std::span<const double>(values), {8}).named("readings");  //!
}

int main(int argc, char**) {
  const Tensor dust = readings(argc > 1);
  const Variable persistence(constant(0.8), {.name = "persistence"}), level(constant(3.0), {.name = "level"});
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 5; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor today = slice(dust, {0}, {7}), tomorrow = slice(dust, {1}, {7});  //~
      loss = reduce_mean(square(persistence * today + level - tomorrow));
    }
    gradients = tape.gradient(loss, {persistence, level});
    persistence.assign_sub(0.0005 * gradients[0]);
    level.assign_sub(0.0005 * gradients[1]);
  }
  report("persistence", gradients[0]);
  report("level", gradients[1]);
}
