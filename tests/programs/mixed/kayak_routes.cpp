// A kayak drifts or is paddled, by how strong the stream is. Both laws have a parameter.
#include "report.h"

using namespace tapescope;

struct Laws {
  Variable drift{constant(0.6), {.name = "drift"}};
  Variable stroke{constant(1.8), {.name = "stroke"}};
  Variable width{constant(0.5), {.name = "width"}};
};

Tensor travelled(const Laws& laws, const Tensor& stream, bool blend) {
  const Tensor drifting = laws.drift * stream;
  if (blend) {
    const Tensor weak = sigmoid((1.0 - reduce_mean(stream)) / laws.width);
    return weak * laws.stroke * sqrt(stream) + (1.0 - weak) * drifting;
  }
  return cond(  //~
      reduce_mean(stream) < 1.0,  //~
      [&] { return laws.stroke * sqrt(stream); },  //!
      [&] { return drifting * (1.0 + square(laws.width)); });  //~
}

int main(int argc, char**) {
  const Laws laws;
  std::vector<Tensor> gradients;
  for (const double strength : {1.4, 1.9, 2.2}) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      const Tensor way = travelled(laws, linspace(strength, strength + 0.5, 6), argc > 1);
      miss = reduce_mean(square(way - 1.5));
    }
    gradients = tape.gradient(miss, {laws.drift, laws.stroke, laws.width});
    laws.drift.assign_sub(0.02 * gradients[0]);
  }
  report("drift", gradients[0]);
  report("stroke", gradients[1]);
  report("width", gradients[2]);
}
