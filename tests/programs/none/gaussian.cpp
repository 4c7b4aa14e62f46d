// Maximum likelihood of a waiting time with two parameters.
#include "report.h"

using namespace tapescope;

struct Waiting {
  Tensor mean, spread;
  Tensor surprise(const Tensor& minutes, bool both) const {
    const Tensor away = square(log(minutes) - mean);
    const Tensor scaled = both ? away / square(spread) + log(square(spread)) : away / 0.36;
    return reduce_mean(scaled);  //~
  }
};

int main(int argc, char**) {
  const Tensor mean = constant(1.6).named("mean"), spread = constant(0.6).named("spread");  //!
  const Waiting bus{mean, spread};
  const Tensor minutes = constant({3.0, 8.0, 5.0, 4.0, 9.0});
  GradientTape tape;
  Tensor surprise;
  {
    auto recording = tape.record();
    tape.watch({mean, spread});  //~
    surprise = bus.surprise(minutes, argc > 1);  //~
  }
  const auto gradients = tape.gradient(surprise, {mean, spread});
  report("mean", gradients[0]);
  report("spread", gradients[1]);
}
