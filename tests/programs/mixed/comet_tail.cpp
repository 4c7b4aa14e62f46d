// Drives dust grains away from a comet by the sun's pressure, many small steps in one traced flight.
#include <algorithm>

#include "report.h"

using namespace tapescope;

struct Dust {
  Variable pressure{0.3, {.name = "pressure"}};
  Variable drag{0.05, {.name = "drag"}};

  std::pair<Tensor, Tensor> moved(const Tensor& place, const Tensor& speed) const {
    const Tensor faster = speed + 0.02 * (pressure / (1.0 + square(place)) - drag * speed);
    return {place + 0.02 * faster, faster};
  }
};

Tensor flight(const Dust& dust, const Tensor& start, bool rolled) {
  if (rolled) {
    const auto [i, place, speed] =
        while_loop([](const Tensor& i, const Tensor&, const Tensor&) { return i < 120; },
                   [&](const Tensor& i, const Tensor& place, const Tensor& speed) {
                     const auto [further, faster] = dust.moved(place, speed);
                     return std::tuple(i + 1, further, faster);
                   },
                   std::tuple(constant(0), start, zeros_like(start)));
    return place;
  }
  Tensor place = start, speed = zeros_like(start);
  for (int i = 0; i < 120; ++i) std::tie(place, speed) = dust.moved(place, speed);  //!
  return place;
}

int main(int argc, char**) {
  const Dust dust;
  const Function tail("tail", [&](const Tensor& start) {
    return reduce_mean(square(flight(dust, start, argc > 1) - 2.0));  //~
  });
  const Tensor grains = linspace(0.1, 1.0, 5);
  std::vector<Tensor> gradients;
  for (int night = 0; night < 3; ++night) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = tail(grains);  //~
    }
    gradients = tape.gradient(miss, {dust.pressure, dust.drag});
    dust.pressure.assign_sub(0.1 * gradients[0]);
  }
  const std::string nodes = tail.get_concrete_function({grains}).graph_text();
  report_cost("graph_nodes", std::count(nodes.begin(), nodes.end(), '\n'));
  report("pressure", gradients[0]);
  report("drag", gradients[1]);
}
