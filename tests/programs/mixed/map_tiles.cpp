// Tiles of a map are coloured within bounds; two questions about one persistent tape.
#include "report.h"

using namespace tapescope;

class Tiles {
 public:
  Variable colours{constant({-0.2, 0.3, 0.8, 1.4}), {.name = "colours"}};
  Variable light{constant(0.9), {.name = "light"}};

  Tensor shown() const { return clip_by_value(colours * light, 0.0, 1.0); }
};

int main() {
  const Tiles tiles;
  const Tensor wanted = constant({0.1, 0.4, 0.7, 0.9});
  Tensor of_miss, of_size;
  for (int draft = 0; draft < 4; ++draft) {
    GradientTape tape({.persistent = true});
    Tensor miss, size;
    {
      auto recording = tape.record();
      const Tensor shown = tiles.shown();
      miss = reduce_mean(square(shown - wanted));
      size = reduce_sum(abs(shown)) * tiles.light;
    }
    of_miss = tape.gradient(miss, tiles.colours);
    of_size = tape.gradient(size, tiles.light);
    tiles.colours.assign_sub(0.2 * of_miss);
    tiles.light.assign_sub(0.001 * of_size);
  }
  report("colours", of_miss);
  report("light", of_size);
}
