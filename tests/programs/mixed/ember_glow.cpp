// Glow of embers on two cameras; the cameras' exposures are balanced by a ratio.
#include "report.h"

using namespace tapescope;

Tensor reference(const Tensor& picture) { return stop_gradient(reduce_max(picture)); }

class Cameras {
 public:
  Variable gain{constant(1.2), {.name = "gain"}};
  Variable offset{constant(0.1), {.name = "offset"}};

  Tensor exposed(const Tensor& light) const { return gain * light + offset; }
  Tensor balance(const Tensor& left, const Tensor& right, bool live) const {
    const Tensor a = exposed(left), b = exposed(right);
    const Tensor ratio =
        live ? reduce_mean(a) / reduce_mean(b) : stop_gradient(reduce_mean(a) / reduce_mean(b));  //!
    return square(ratio - 1.05) + 0.01 * reduce_sum(left / reference(left));
  }
};

int main(int argc, char**) {
  const Cameras cameras;
  const Tensor left = abs(sin(linspace(0.0, 3.0, 9))), right = abs(cos(linspace(0.0, 3.0, 9)));
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    miss = cameras.balance(left, right, argc > 1);
  }
  const auto gradients = tape.gradient(miss, {cameras.gain, cameras.offset});
  report("gain", gradients[0]);
  report("offset", gradients[1]);
}
