// Colours of tulip fields from the air. The statistics are computed without a tape to keep it small.
#include "report.h"

using namespace tapescope;

class Whitening {
 public:
  Variable gain{constant({1.0, 1.2, 0.8}), {.name = "gain"}};
  Variable shift{constant({0.0, 0.1, -0.1}), {.name = "shift"}};

  Tensor operator()(GradientTape& tape, const Tensor& pixels, bool everything) const {
    const Tensor scaled = pixels * gain;
    if (everything) return standard(scaled) + shift;
    Tensor white;
    {
      const auto pause = tape.stop_recording();
      white = standard(scaled);  //!
    }
    return white + shift;
  }

 private:
  static Tensor standard(const Tensor& x) {
    return (x - reduce_mean(x, 0)) / (reduce_std(x, 0) + 0.1);  //~
  }
};

int main(int argc, char**) {
  const Whitening whitening;
  const Variable colours(constant({0.5, -0.2, 0.9}), {.name = "colours"});
  const Tensor pixels = reshape(sin(linspace(0.0, 20.0, 48)), {16, 3});
  const Tensor fields = cast(greater(sin(linspace(0.0, 5.0, 16)), 0.0), DType::f32);
  std::vector<Tensor> gradients;
  for (int flight = 0; flight < 3; ++flight) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor white = whitening(tape, pixels, argc > 1);  //~
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(fields, matvec(square(white), colours)));
    }
    gradients = tape.gradient(loss, {whitening.gain, whitening.shift, colours});
  }
  report("gain", gradients[0]);
  report("shift", gradients[1]);
  report("colours", gradients[2]);
}
