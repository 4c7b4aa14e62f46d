// A season of snow: melts by a degree-day factor, settles by a rate, both fitted to what the stake showed.
#include <optional>

#include "report.h"

using namespace tapescope;

struct Day {
  double warmth, fall, stake;
};

class SnowPack {
 public:
  Variable melt{constant(0.3), {.name = "melt"}};
  Variable settling{constant(0.05), {.name = "settling"}};

  Tensor after(const Tensor& depth, const Day& day) const {
    const Tensor melted = melt * day.warmth;
    return relu(depth * (1.0 - settling) + day.fall - melted);
  }
};

// How far the model is from the stake at the end of each day.
Tensor season(const SnowPack& snow, const std::vector<Day>& days, bool from_reading) {
  Tensor depth = constant(2.0);
  Tensor miss = constant(0.0);
  std::optional<double> last;
  for (const Day& day : days) {
    if (last && from_reading) depth = constant(*last);
    depth = snow.after(depth, day);
    miss = miss + square(depth - day.stake);
    last = day.stake;
  }
  return miss / static_cast<double>(days.size());
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const SnowPack snow;
  const std::vector<Day> days = {{1.0, 0.4, 2.0}, {2.0, 0.0, 1.4}, {0.5, 0.6, 1.8}, {3.0, 0.1, 0.9}};
  Variable start(constant(2.4), {.name = "start"});
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    const Tensor first = snow.after(start, days[0]);
    std::vector<Day> rest(days.begin() + 1, days.end());
    miss = season(snow, rest, false);
    if (fixed) miss = miss + square(first - days[0].stake);
    else miss = miss + square(constant(item(first)) - days[0].stake);  //!
  }
  const auto gradients = tape.gradient(miss, {snow.melt, snow.settling, start});
  report("melt", gradients[0]);
  report("settling", gradients[1]);
  report("start", gradients[2]);
}
