// Where bees fly: the slope of a map at several places, and then a fit of the map.
#include "report.h"

using namespace tapescope;

class Flight {
 public:
  Variable hills{constant({0.6, -0.3, 0.9, 0.2}), {.name = "hills"}};

  Tensor height(const Tensor& places) const {
    Tensor height = zeros({places.dim(0)});
    for (int i = 0; i < 4; ++i) height = height + at(hills, i) * exp(-square(places - 1.5 * i));
    return height;
  }
};

int main() {
  const Flight flight;
  const Tensor places = linspace(0.0, 5.0, 40), seen = 0.5 + 0.2 * sin(places);
  Tensor gradient;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(flight.height(places) - seen));
      gradient = tape.gradient(miss, flight.hills);
    }
    flight.hills.assign_sub(0.3 * gradient);
  }
  report("hills", gradient);
}
