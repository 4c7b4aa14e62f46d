// Two halves of a bell are computed side by side, one of them on another thread.
#include "report.h"

#include <future>

using namespace tapescope;

class Bell {
 public:
  Variable rim{constant(1.5), {.name = "rim"}};
  Variable crown{constant(0.8), {.name = "crown"}};

  Tensor low(const Tensor& angle) const { return rim * square(cos(angle)); }  //!
  Tensor high(const Tensor& angle) const { return crown * square(sin(angle)); }
};

int main(int argc, char**) {
  const bool alone = argc > 1;
  const Bell bell;
  const Tensor angle = linspace(0.0, 3.1, 12);
  std::vector<Tensor> gradients;
  for (int cast_number = 0; cast_number < 3; ++cast_number) {
    GradientTape tape;
    Tensor tone;
    {
      auto recording = tape.record();
      std::future<Tensor> other = std::async(alone ? std::launch::deferred : std::launch::async,
                                             [&] { return bell.low(angle); });  //~
      const Tensor high = bell.high(angle);
      tone = reduce_sum(square(other.get() + high - 1.0));
    }
    gradients = tape.gradient(tone, {bell.rim, bell.crown});
    bell.crown.assign_sub(0.01 * gradients[1]);
  }
  report("rim", gradients[0]);
  report("crown", gradients[1]);
}
