// Pull of sled dogs by slope and snow. A gauge that fails writes 1e30, and such a batch is left out.
#include "report.h"

using namespace tapescope;

struct Batch {
  Tensor track, pull;
};

Batch batch_of(int day) {
  const Tensor track = reshape(sin(linspace(0.3 * day, 0.3 * day + 5.0, 12)), {6, 2});
  const Tensor pull = reduce_sum(track * constant({1.5, -0.5}), 1);
  if (day == 2) return {track, pull * 1e30};
  return {track, pull};
}

class Team {
 public:
  Variable weights{constant({0.2, 0.1}), {.name = "weights"}};
  Variable rest{constant(0.0), {.name = "rest"}};
  Tensor miss(const Batch& batch) const {
    return reduce_mean(square(matvec(batch.track, weights) + rest - batch.pull));
  }
};

int main() {
  const Team team;
  Adam optimizer(0.05);
  std::vector<Tensor> kept;
  int left_out = 0;
  for (int day = 0; day < 6; ++day) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = team.miss(batch_of(day));
    }
    const auto gradients = tape.gradient(miss, {team.weights, team.rest});
    const auto [clipped, norm] = clip_by_global_norm(gradients, 1.0);
    if (!std::isfinite(item(norm))) {
      ++left_out;
      continue;
    }
    optimizer.apply_gradients(clipped, {team.weights, team.rest});
    kept = clipped;
  }
  std::printf("left out %d\n", left_out);
  report("weights", kept[0]);
  report("rest", kept[1]);
}
