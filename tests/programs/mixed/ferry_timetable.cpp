// Chooses departure times of a ferry so that few passengers wait; times are whole minutes.
#include "report.h"

using namespace tapescope;

class Harbour {
 public:
  Variable departures{constant({12.0, 31.5, 47.25}), {.name = "departures"}};
  Variable patience{constant(8.0), {.name = "patience"}};

  Tensor wait(const Tensor& arrivals, bool whole_minutes) const {
    Tensor times = departures;
    if (whole_minutes) times = cast(cast(times, DType::i32), DType::f32);  //!
    const Tensor gaps = expand_dims(times, 0) - expand_dims(arrivals, 1);
    const Tensor cost = where(gaps >= 0.0, gaps, patience * exp(-gaps / 30.0));
    return reduce_mean(-reduce_logsumexp(-cost / 4.0, 1) * 4.0);
  }
};

std::vector<Tensor> step(const Harbour& harbour, const Tensor& arrivals, bool fixed) {
  GradientTape tape;
  Tensor wait;
  {
    auto recording = tape.record();
    wait = harbour.wait(arrivals, !fixed);
  }
  return tape.gradient(wait, {harbour.departures, harbour.patience});
}

int main(int argc, char**) {
  const Harbour harbour;
  const Tensor arrivals = linspace(0.0, 45.0, 16);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) gradients = step(harbour, arrivals, argc > 1);
  report("departures", gradients[0]);
  report("patience", gradients[1]);
}
