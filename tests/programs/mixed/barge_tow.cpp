// A barge is towed through locks. Its speed is kept in a variable that each lock updates.
#include "report.h"

using namespace tapescope;

class Barge {
 public:
  Variable pull{constant(1.4), {.name = "pull"}};
  Variable drag{constant(0.3), {.name = "drag"}};

  explicit Barge(bool as_value) : as_value_(as_value) {}

  // Speeds behind each lock.
  std::vector<Tensor> tow(const std::vector<double>& currents) {
    std::vector<Tensor> speeds;
    Tensor now = constant(0.0);
    speed_.assign(0.0);
    for (const double current : currents) {
      if (as_value_) {
        now = now + 0.5 * (pull - drag * square(now - current));
        speeds.push_back(now);
        continue;
      }
      speed_.assign_add(0.5 * (pull - drag * square(speed_ - current)));  //!
      speeds.push_back(identity(speed_));  //~
    }
    return speeds;
  }

 private:
  bool as_value_;
  Variable speed_{constant(0.0), {.name = "speed"}};
};

int main(int argc, char**) {
  Barge barge(argc > 1);
  const std::vector<double> currents{0.2, -0.1, 0.4, 0.0};
  const Tensor wanted = constant({0.6, 1.1, 1.5, 1.8});
  GradientTape tape;
  Tensor late;
  {
    auto recording = tape.record();
    late = reduce_sum(square(stack(barge.tow(currents)) - wanted));
  }
  const auto gradients = tape.gradient(late, {barge.pull, barge.drag});
  report("pull", gradients[0]);
  report("drag", gradients[1]);
}
