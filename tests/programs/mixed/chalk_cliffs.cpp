// How fast cliffs retreat: two models agree with each other, and each is held fixed for the other's turn.
#include "report.h"

using namespace tapescope;

class Cliff {
 public:
  Cliff(std::string name, double rate) : rate_(constant(rate), {.name = name + "/rate"}) {}

  Tensor retreat(const Tensor& waves) const { return log1p(rate_ * square(waves)); }
  Tensor held(const Tensor& waves) const { return stop_gradient(retreat(waves)); }  //!
  const Variable& rate() const { return rate_; }

 private:
  Variable rate_;
};

Tensor disagreement(const Cliff& one, const Cliff& other, const Tensor& waves, bool both) {
  if (both) return reduce_mean(square(one.retreat(waves) - other.retreat(waves)));
  return reduce_mean(square(one.retreat(waves) - other.held(waves)));  //~
}

int main(int argc, char**) {
  const Cliff north("north", 0.4), south("south", 0.7);
  const Variable bias(constant(0.1), {.name = "bias"});
  const Tensor waves = linspace(0.5, 3.0, 9);
  std::vector<Tensor> gradients;
  for (int storm = 0; storm < 4; ++storm) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = disagreement(north, south, waves + bias, argc > 1) + 0.1 * stop_gradient(north.rate());
    }
    gradients = tape.gradient(loss, {north.rate(), south.rate(), bias});
    north.rate().assign_sub(0.1 * gradients[0]);
  }
  report("north/rate", gradients[0]);
  report("south/rate", gradients[1]);
  report("bias", gradients[2]);
}
