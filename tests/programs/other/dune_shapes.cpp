// Shapes of dunes from heights along a line, smoothed by a prior on waves of many lengths.
#include "report.h"

using namespace tapescope;

using Source = std::function<Tensor()>;

// Waves at all places; places never change during a survey.
Tensor waves(const Tensor& places) {
  const Tensor lengths = linspace(0.5, 6.0, 24);
  return cos(expand_dims(places, 1) * lengths) / (1.0 + square(lengths));  //!
}

class Dune {
 public:
  explicit Dune(Source features) : features_(std::move(features)) {}
  Variable amplitudes{fill({24}, 0.05), {.name = "amplitudes"}};
  Variable base{constant(0.2), {.name = "base"}};

  Tensor heights() const { return matvec(features_(), amplitudes) + base; }  //~

 private:
  Source features_;
};

class Survey {
 public:
  Survey(const Dune& dune, const Tensor& heights) : dune_(dune), heights_(heights) {}
  Tensor loss() const {
    return reduce_mean(square(dune_.heights() - heights_)) + 0.01 * reduce_sum(square(dune_.amplitudes));  //~
  }

 private:
  const Dune& dune_;
  Tensor heights_;
};

int main(int argc, char**) {
  const Tensor places = linspace(0.0, 10.0, 200);
  const Tensor made = argc > 1 ? waves(places) : Tensor();
  const Dune dune([&] { return made ? made : waves(places); });  //~
  const Survey survey(dune, 0.5 + 0.3 * sin(places));
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 8; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = survey.loss();  //~
    }
    gradients = tape.gradient(loss, {dune.amplitudes, dune.base});
    dune.amplitudes.assign_sub(0.2 * gradients[0]);
    dune.base.assign_sub(0.2 * gradients[1]);
  }
  report("amplitudes", gradients[0]);
  report("base", gradients[1]);
}
