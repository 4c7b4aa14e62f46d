// How bells ring together. One persistent tape is asked about loudness, then the bells are moved, then about
// roughness.
#include "report.h"

using namespace tapescope;

struct Tower {
  Variable weights{constant({1.0, 1.5, 2.2}), {.name = "weights"}};
  Tensor heights = constant({10.0, 12.0, 15.0});

  Tensor tones() const { return 300.0 / weights; }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Tower tower;
  GradientTape tape({.persistent = fixed});  //~
  Tensor loudness, roughness;
  {
    auto recording = tape.record();
    const Tensor tones = tower.tones();
    loudness = reduce_sum(tower.weights / square(tower.heights));
    roughness = reduce_sum(square(sin(tones / 100.0)));
  }
  const Tensor by_loudness = tape.gradient(loudness, tower.weights);  //!
  std::fprintf(stderr, "loudness by weight: %.4f\n", item(reduce_sum(by_loudness)));
  Tensor by_roughness;
  try {
    by_roughness = tape.gradient(roughness, tower.weights);  //~
  } catch (const Error& error) {
    report_error(error);
  }
  report("weights", by_roughness);
}
