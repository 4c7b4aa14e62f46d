// Kites share the sky: gradients of four small groups are added up before one update.
#include "report.h"

using namespace tapescope;

class Sky {
 public:
  Variable lift{constant({0.8, 0.6}), {.name = "lift"}}, gust{constant(0.3), {.name = "gust"}};
  Tensor heights(const Tensor& winds) const { return matvec(winds, lift) + gust * sin(reduce_sum(winds, 1)); }
};

struct Group {
  Tensor winds, seen;
};

class Accumulated {
 public:
  void add(const std::vector<Tensor>& more) {
    for (std::size_t i = 0; i < more.size(); ++i) {
      if (sums.size() <= i) sums.push_back(more[i]);
      else sums[i] = sums[i] + more[i];
    }
  }
  std::vector<Tensor> sums;
};

int main() {
  const Sky sky;
  std::vector<Tensor> last;
  for (int hour = 0; hour < 4; ++hour) {
    Accumulated gradients;
    for (int g = 0; g < 4; ++g) {
      const Group group{reshape(sin(linspace(0.1 * g, 5.0 + hour, 400)), {200, 2}), fill({200}, 0.7)};
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_mean(square(sky.heights(group.winds) - group.seen)) / 4.0;
      }
      gradients.add(tape.gradient(loss, {sky.lift, sky.gust}));
    }
    sky.lift.assign_sub(0.2 * gradients.sums[0]);
    sky.gust.assign_sub(0.2 * gradients.sums[1]);
    last = gradients.sums;
  }
  report("lift", last[0]);
  report("gust", last[1]);
}
