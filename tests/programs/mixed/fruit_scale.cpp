// Weighs fruit by a camera. Figures for the screen are computed along the way.
#include "report.h"

using namespace tapescope;

class Scale {
 public:
  Variable lens{reshape(sin(linspace(0.0, 9.0, 64)), {16, 4}), {.name = "lens"}};
  Variable table{constant({0.3, 0.1, -0.2, 0.4}), {.name = "table"}};

  Tensor features(const Tensor& pictures) const { return tanh(matmul(pictures, lens)); }
  Tensor weight(const Tensor& features) const { return matvec(features, table); }
};

// Spread, correlation and sharpness for the screen.
std::vector<Tensor> figures(const Tensor& features) {
  const Tensor centred = features - reduce_mean(features, 0);  //~
  const Tensor together = matmul(centred, centred, true, false) / 200.0;  //!
  return {reduce_std(features, 0), together, reduce_mean(square(roll(features, 1, 0) - features))};  //~
}

int main(int argc, char**) {
  const bool after = argc > 1;
  const Scale scale;
  const Tensor pictures = reshape(cos(linspace(0.0, 90.0, 3200)), {200, 16}),
               seen = sin(linspace(0.0, 5.0, 200));
  std::vector<Tensor> gradients;
  std::uint64_t recorded = 0;
  for (int box = 0; box < 4; ++box) {
    GradientTape tape;
    Tensor loss, features;
    std::vector<Tensor> screen;
    {
      auto recording = tape.record();
      features = scale.features(pictures);
      if (!after) screen = figures(features);  //~
      loss = reduce_mean(square(scale.weight(features) - seen));
    }
    recorded = tape.counts().recorded;
    if (after) screen = figures(features);
    std::fprintf(stderr, "box %d: sharpness %.3f\n", box, item(screen[2]));
    gradients = tape.gradient(loss, {scale.lens, scale.table});
    scale.table.assign_sub(0.1 * gradients[1]);
  }
  report_cost("recorded", static_cast<double>(recorded));
  report("lens", gradients[0]);
  report("table", gradients[1]);
}
