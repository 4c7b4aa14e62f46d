// Travel times of lifts: every trip of a log contributes to acceleration and door time.
#include "report.h"

using namespace tapescope;

struct Lift {
  Variable speed{constant({1.2, 0.8}), {.name = "speed"}};
  Variable doors{constant(3.0), {.name = "doors"}};

  Tensor travel(const Tensor& floors) const {
    return floors / speed[0] + sqrt(floors * square(speed[1]) + 1.0) + doors;
  }
};

class Gradients {
 public:
  void add(const std::vector<Tensor>& more) {
    if (sums.empty()) sums = more;
    else
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sums[i] + more[i];
  }
  std::vector<Tensor> mean(double count) const {
    std::vector<Tensor> means;
    for (const Tensor& sum : sums) means.push_back(sum / count);
    return means;
  }
  std::vector<Tensor> sums;
};

std::vector<Tensor> by_trip(const Lift& lift, const Tensor& floors, const Tensor& seconds) {
  Gradients gradients;
  for (int i = 0; i < floors.dim(0); ++i) {  //~
    GradientTape tape;  //~
    Tensor loss;
    {
      auto recording = tape.record();  //~
      loss = square(lift.travel(floors[i]) - seconds[i]);  //!
    }
    gradients.add(tape.gradient(loss, {lift.speed, lift.doors}));  //~
  }
  return gradients.mean(static_cast<double>(floors.dim(0)));
}

std::vector<Tensor> whole_log(const Lift& lift, const Tensor& floors, const Tensor& seconds) {
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(lift.travel(floors) - seconds));
  }
  return tape.gradient(loss, {lift.speed, lift.doors});
}

int main(int argc, char**) {
  const Lift lift;
  const Tensor floors = linspace(1.0, 24.0, 48), seconds = 4.0 + 1.1 * floors + 0.5 * sin(floors);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 3; ++pass) {
    gradients = argc > 1 ? whole_log(lift, floors, seconds) : by_trip(lift, floors, seconds);  //~
    lift.speed.assign_sub(1e-3 * gradients[0]);
    lift.doors.assign_sub(1e-2 * gradients[1]);
  }
  report("speed", gradients[0]);
  report("doors", gradients[1]);
}
