// Difficulty of a game's levels: the reward is weighted by the number of the level, which is handed on as it
// stands.
#include "report.h"

using namespace tapescope;

struct Levels {
  Variable skill{constant(0.6), {.name = "skill"}};

  Tensor reward(const Tensor& hits, double level) const {
    return reduce_sum(tanh(skill * hits)) / (1.0 + level);
  }
  Tensor reward(const Tensor& hits, const Tensor& level) const {
    return reduce_sum(tanh(skill * hits)) / (1.0 + level);
  }
};

int main(int argc, char**) {
  const Levels levels;
  const Tensor hits = constant({2.0, 1.0, 3.0}).named("hits");
  const Function play("play", [&](const Tensor& hits, int level) { return levels.reward(hits, level); },
                      {.arguments = {"hits", "level"}});
  const Function play_any(
      "play_any", [&](const Tensor& hits, const Tensor& level) { return levels.reward(hits, level); });

  Tensor gradient;
  for (int level = 1; level <= 4; ++level) {
    GradientTape tape;
    tape.enter();
    const Tensor reward = argc > 1 ? play_any(hits, constant(level, DType::f32)) : play(hits, level);  //!
    tape.exit();
    gradient = tape.gradient(reward, levels.skill);
  }
  report("skill", gradient);
  report_traces(play);
}
