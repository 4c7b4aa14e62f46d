// Pressing corks: the best press so far is kept as a copy that is worked on further.
#include "report.h"

using namespace tapescope;

class Press {
 public:
  Press() : stroke_(constant(0.6), {.name = "stroke"}), heat_(constant(0.9), {.name = "heat"}) {}  //~
  Press clone() const {
    Press other;
    other.stroke_ = Variable(stroke_.value(), {.name = "stroke"});  //!
    other.heat_ = Variable(heat_.value(), {.name = "heat"});  //!
    return other;
  }
  Tensor waste(const Tensor& bark) const {
    return reduce_mean(square(stroke_ * bark - tanh(heat_ * bark) * 0.5));
  }
  std::vector<Variable> parts() const { return {stroke_, heat_}; }

 private:
  Variable stroke_, heat_;
};

int main(int argc, char**) {
  Press press;
  std::vector<Variable> parts = press.parts();  //~
  press = press.clone();  //~
  if (argc > 1) parts = press.parts();
  std::vector<Tensor> gradients;
  for (int sheet = 0; sheet < 3; ++sheet) {
    GradientTape tape;
    Tensor waste;
    {
      auto recording = tape.record();
      waste = press.waste(linspace(0.3, 1.5, 7));  //~
    }
    gradients = tape.gradient(waste, {parts[0], parts[1]});  //~
  }
  report("stroke", gradients[0]);
  report("heat", gradients[1]);
}
