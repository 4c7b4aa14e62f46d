// Finds bad solder joints on photographs of boards: edge filters, a threshold learnt by training, a score for
// each photograph.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct JointDetector {
  Variable filters, threshold;

  explicit JointDetector(double level)
      : filters(stateless_random_normal({3, 3, 1, 4}, {7, 1}, 0, 0.2), {.name = "filters"}),
        threshold(fill({4}, level), {.name = "threshold"}) {}  //~

  Tensor responses(const Tensor& photographs) const {
    const Tensor edges = conv2d(photographs, filters, 1, ConvPadding::valid);
    return relu(edges - threshold);  //!
  }

  Tensor score(const Tensor& photographs) const { return reduce_mean(responses(photographs), {1, 2, 3}); }
};

Tensor photographs(int count) {
  std::vector<double> pixels;
  for (int i = 0; i < count * 64; ++i) pixels.push_back(0.5 + 0.5 * std::sin(0.37 * i * i));
  return constant(std::span<const double>(pixels), {count, 8, 8, 1}).named("photographs");
}

int main(int argc, char**) {
  const JointDetector detector(argc > 1 ? 0.02 : 40.0);
  const Tensor boards = photographs(6), bad = constant({1.0, 0.0, 0.0, 1.0, 1.0, 0.0}).named("bad");
  Tensor loss;
  GradientTape tape;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(detector.score(boards) - bad));
  }
  const auto gradients = tape.gradient(loss, {detector.filters, detector.threshold});
  report("filters", gradients[0]);
  report("threshold", gradients[1]);
}
