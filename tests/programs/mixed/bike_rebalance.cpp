// Moves bikes between stations over night; the tariffs follow how much they are missed.
#include "report.h"

using namespace tapescope;

class Stations {
 public:
  Variable tariff{fill({20}, 1.5), {.name = "tariff"}};
  Variable base{constant(2.0), {.name = "base"}};

  Tensor demand(const Tensor& weather) const {
    const Tensor wish = expand_dims(weather, 1) * exp(-0.4 * tariff) + base;
    return log1p(square(wish)) * sigmoid(wish - 1.0);
  }
};

class NightShift {
 public:
  NightShift(const Stations& stations, bool after) : stations_(stations), after_(after) {}

  std::vector<Tensor> plan(const Tensor& weather, const Tensor& stock) {
    GradientTape tape({.persistent = true});
    std::vector<Tensor> slopes;
    {
      auto recording = tape.record();
      const Tensor missing = relu(stations_.demand(weather) - stock);
      const Tensor cost = reduce_mean(square(missing)) + 0.01 * reduce_sum(square(stations_.tariff));
      const Tensor lost = reduce_sum(missing) / 400.0;
      if (!after_) slopes = {tape.gradient(cost, stations_.tariff), tape.gradient(lost, stations_.base)};  //!
      cost_ = cost, lost_ = lost;
    }
    if (after_) slopes = {tape.gradient(cost_, stations_.tariff), tape.gradient(lost_, stations_.base)};
    recorded += tape.counts().recorded;
    stations_.tariff.assign_sub(0.1 * slopes[0]);
    stations_.base.assign_sub(0.1 * slopes[1]);
    return slopes;
  }
  std::uint64_t recorded = 0;

 private:
  const Stations& stations_;
  bool after_;
  Tensor cost_, lost_;
};

int main(int argc, char**) {
  const Stations stations;
  NightShift shift(stations, argc > 1);
  std::vector<Tensor> slopes;
  for (int night = 0; night < 4; ++night) {
    slopes = shift.plan(linspace(1.0, 3.0 + 0.2 * night, 400), fill({20}, 1.0));
  }
  report_cost("recorded", static_cast<double>(shift.recorded));
  report("tariff", slopes[0]);
  report("base", slopes[1]);
}
