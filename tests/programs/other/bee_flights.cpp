// Fits the flight of bees to a meadow; each bee's path pulls at the map.
#include "report.h"

using namespace tapescope;

struct Meadow {
  Variable map{reshape(sin(linspace(0.0, 5.0, 12 * 8)), {12, 8}), {.name = "map"}};
  Variable wind{linspace(-0.1, 0.1, 8), {.name = "wind"}};

  Tensor miss(const Tensor& flights, const Tensor& found) const {
    return reduce_sum(square(tanh(matmul(flights, map) + wind) - found)) / 40.0;
  }
};

int main(int argc, char**) {
  const Meadow meadow;
  constexpr int kBees = 40;
  const Tensor flights = reshape(cos(linspace(0.0, 60.0, kBees * 12)), {kBees, 12});
  const Tensor found = reshape(sin(linspace(0.0, 30.0, kBees * 8)) * 0.5, {kBees, 8});
  Tensor by_map, by_wind;
  for (int day = 0; day < 5; ++day) {
    if (argc > 1) {
      GradientTape tape;
      Tensor miss;
      {
        auto recording = tape.record();
        miss = meadow.miss(flights, found);
      }
      const auto both = tape.gradient(miss, {meadow.map, meadow.wind});
      by_map = both[0];
      by_wind = both[1];
    } else {
      by_map = zeros({12, 8});
      by_wind = zeros({8});
      for (int bee = 0; bee < kBees; ++bee) {
        GradientTape tape;
        Tensor miss;
        {
          auto recording = tape.record();  //~
          miss = meadow.miss(flights(range(bee, bee + 1)), found(range(bee, bee + 1)));  //!
        }
        const auto one = tape.gradient(miss, {meadow.map, meadow.wind});  //~
        by_map = by_map + one[0];
        by_wind = by_wind + one[1];
      }
    }
    meadow.map.assign_sub(0.1 * by_map);
    meadow.wind.assign_sub(0.1 * by_wind);
  }
  report("map", by_map);
  report("wind", by_wind);
}
