// Turns a star tracker until its stars fall on those of the catalogue: the loss is the mean angle between
// both.
#include "report.h"

using namespace tapescope;

struct Tracker {
  Variable roll{constant(0.0), {.name = "roll"}};
  Variable scale{constant(1.0005), {.name = "scale"}};  //~

  // Directions turned about the axis of view.
  Tensor turned(const Tensor& stars) const {
    const std::vector<Tensor> xyz = unstack(stars, 1);
    const Tensor x = cos(roll) * xyz[0] - sin(roll) * xyz[1], y = sin(roll) * xyz[0] + cos(roll) * xyz[1];
    return stack({x, y, xyz[2]}, 1) * scale;
  }
};

Tensor catalogue() {
  return constant({{0.6, 0.0, 0.8}, {0.0, 0.8, 0.6}, {0.36, 0.48, 0.8}}).named("catalogue");
}

Tensor separation(const Tensor& a, const Tensor& b, double edge) {
  const Tensor cosine = clip_by_value(reduce_sum(a * b, -1), -edge, edge);
  return acos(cosine);  //!
}

int main(int argc, char**) {
  const Tracker tracker;
  const double edge = argc > 1 ? 0.9999 : 2.0;
  const Tensor seen = constant({{0.59, 0.1, 0.801}, {-0.1, 0.79, 0.605}, {0.3, 0.52, 0.8}}).named("seen");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor stars = catalogue();
    loss = reduce_mean(separation(tracker.turned(argc > 1 ? seen : stars), stars, edge));
  }
  const auto gradients = tape.gradient(loss, {tracker.roll, tracker.scale});
  report("roll", gradients[0]);
  report("scale", gradients[1]);
}
