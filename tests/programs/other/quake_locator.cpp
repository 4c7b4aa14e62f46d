// Finds where an earthquake began from the times at which 400 stations felt it.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct Network {
  Tensor stations, arrivals;
};

Network network(int count) {
  std::vector<double> place, time;
  for (int i = 0; i < count; ++i) {
    const double x = 80 * std::sin(0.7 * i), y = 80 * std::cos(1.3 * i);
    place.insert(place.end(), {x, y});
    time.push_back(std::hypot(x - 12, y + 7) / 6.0 + 0.05 * std::sin(i));
  }
  return {constant(std::span<const double>(place), {count, 2}),
          constant(std::span<const double>(time), {count})};
}

struct Locator {
  Network net = network(400);
  Variable epicentre{constant({0.5, 0.5}), {.name = "epicentre"}}, speed{constant(5.0), {.name = "speed"}};

  Tensor travel_times() const { return sqrt(reduce_sum(square(net.stations - epicentre), 1)) / speed; }

  Tensor misfit(const Tensor& times) const { return reduce_mean(square(times - net.arrivals)); }
  Tensor misfit() const { return misfit(travel_times()); }  //~
  Tensor bias(const Tensor& times) const { return square(reduce_mean(times) - reduce_mean(net.arrivals)); }
  Tensor bias() const { return bias(travel_times()); }  //!

  Tensor loss(bool fixed) const {
    if (!fixed) return misfit() + 0.1 * bias();  //~
    const Tensor times = travel_times();
    return misfit(times) + 0.1 * bias(times);
  }
};

int main(int argc, char**) {
  const Locator locator;
  std::vector<Tensor> gradients;
  for (int round = 0; round < 10; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = locator.loss(argc > 1);
    }
    gradients = tape.gradient(loss, {locator.epicentre, locator.speed});
    locator.epicentre.assign_sub(0.5 * gradients[0]);
    locator.speed.assign_sub(0.05 * gradients[1]);
  }
  report("epicentre", gradients[0]);
  report("speed", gradients[1]);
}
