// Salt pans dry in the sun; evaporation has a gradient written by hand, for depth and for wind.
#include "report.h"

using namespace tapescope;

CustomGradient evaporation(bool both) {
  return custom_gradient("evaporation", [both](std::span<const Tensor> x) {
    const Tensor depth = x[0], wind = x[1], gone = sqrt(depth) * log1p(wind);
    return WithGradient{.outputs = {gone}, .gradient = [=](std::span<const Tensor> dy) {
                          std::vector<Tensor> gradients(2);
                          gradients[0] = 0.5 * dy[0] * log1p(wind) / sqrt(depth);
                          if (both) gradients[1] = dy[0] * sqrt(depth) / (1.0 + wind);
                          return gradients;
                        }};
  });
}

class Pan {
 public:
  explicit Pan(bool both) : evaporation_(evaporation(both)) {}
  Variable depth{constant(0.9), {.name = "depth"}}, wind{constant(1.4), {.name = "wind"}};
  Tensor left() const { return depth - 0.3 * evaporation_(depth, wind); }  //!

 private:
  CustomGradient evaporation_;
};

int main(int argc, char**) {
  const Pan pan(argc > 1);  //~
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(pan.left() - 0.4);  //~
    }
    gradients = tape.gradient(loss, {pan.depth, pan.wind});
    pan.depth.assign_sub(0.1 * gradients[0]);
  }
  report("depth", gradients[0]);
  report("wind", gradients[1]);
}
