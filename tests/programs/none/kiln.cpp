// Firing of a kiln as a traced step, with the heating rate of the day.
#include "report.h"

using namespace tapescope;

class Kiln {
 public:
  explicit Kiln(bool live)
      : step_("step", [this, live, rate = item(rate_.value())](const Tensor& heat) {  //!
          const Tensor warmer = live ? heat + rate_ * (1200.0 - heat) : heat + rate * (1200.0 - heat);  //~
          return warmer - loss_ * square(warmer / 1000.0);
        }) {}

  Tensor fire(Tensor heat, int hours) const {
    for (int hour = 0; hour < hours; ++hour) heat = step_(heat);  //~
    return heat;
  }
  const Variable& rate() const { return rate_; }
  const Variable& loss() const { return loss_; }

 private:
  Variable rate_{constant(0.25), {.name = "rate"}};
  Variable loss_{constant(30.0), {.name = "loss"}};
  Function<Tensor(const Tensor&)> step_;
};

int main(int argc, char**) {
  const Kiln kiln(argc > 1);  //~
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(kiln.fire(constant(20.0 + day), 4) / 1000.0 - 0.9);
    }
    gradients = tape.gradient(miss, {kiln.rate(), kiln.loss()});
  }
  report("rate", gradients[0]);
  report("loss", gradients[1]);
}
