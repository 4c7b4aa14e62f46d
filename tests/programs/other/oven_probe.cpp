// Whether a roast is done, by the probe's temperature and the hours in the oven.
#include "report.h"

using namespace tapescope;

struct Reading {
  double degrees, hours;
};

class Cook {
 public:
  explicit Cook(double unit) : unit_(unit) {}
  Variable warmth{constant(0.8), {.name = "warmth"}};
  Variable patience{constant(0.5), {.name = "patience"}};
  Variable share{constant(0.9), {.name = "share"}};

  Tensor done(const std::vector<Reading>& readings) const {
    std::vector<double> degrees, hours;
    for (const Reading& reading : readings) {
      degrees.push_back(reading.degrees);
      hours.push_back(reading.hours);
    }
    const Tensor score = warmth * (constant(degrees) / unit_) + patience * constant(hours);  //~
    return share * sigmoid(score);  //!
  }

 private:
  double unit_;
};

int main(int argc, char**) {
  const Cook cook(argc > 1 ? 100.0 : 1.0);
  const std::vector<Reading> readings{{58.0, 1.5}, {63.0, 2.0}, {72.0, 2.5}, {80.0, 3.5}};
  const Tensor tasted = constant({0.2, 0.5, 0.8, 1.0});
  std::vector<Tensor> gradients;
  for (int roast = 0; roast < 4; ++roast) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(cook.done(readings) - tasted));  //~
    }
    gradients = tape.gradient(loss, {cook.warmth, cook.patience, cook.share});
    cook.share.assign_sub(0.1 * gradients[2]);
  }
  report("warmth", gradients[0]);
  report("patience", gradients[1]);
  report("share", gradients[2]);
}
