// Tunes the lights of a crossing over a day; what was computed each hour is kept for the evening's report.
#include <memory>

#include "report.h"

using namespace tapescope;

struct Hour {
  std::unique_ptr<GradientTape> tape;
  Tensor waiting;
};

class Crossing {
 public:
  explicit Crossing(bool fixed) : fixed_(fixed) {}

  void tune(const Tensor& cars) {
    auto tape = std::make_unique<GradientTape>(TapeOptions{.persistent = !fixed_});  //~
    Tensor waiting;
    {
      auto recording = tape->record();
      const Tensor queue = relu(cars - 40.0 * green);
      waiting = reduce_mean(square(queue)) + square(green - 0.5);
    }
    gradient = tape->gradient(waiting, green);
    green.assign_sub(1e-4 * gradient);
    if (fixed_) tape.reset();
    day_.push_back({std::move(tape), waiting});  //!
  }

  double kept_bytes() const {
    double bytes = 0;
    for (const Hour& hour : day_)
      bytes += hour.tape ? static_cast<double>(hour.tape->counts().saved_bytes) : 0;
    return bytes;
  }

  Variable green{constant(0.3), {.name = "green"}};
  Tensor gradient;

 private:
  bool fixed_;
  std::vector<Hour> day_;  //~
};

int main(int argc, char**) {
  Crossing crossing(argc > 1);
  for (int hour = 0; hour < 24; ++hour) {
    crossing.tune(20.0 + linspace(0.0, 1.0 + hour, 20000));
  }
  report_cost("kept_bytes", crossing.kept_bytes());
  report("green", crossing.gradient);
}
