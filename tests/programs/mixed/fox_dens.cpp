// A small network counts fox dens. Both layers start at zero, as someone said that zero is neutral.
#include "report.h"

using namespace tapescope;

class Dens {
 public:
  explicit Dens(bool spread)
      : inner_(spread ? reshape(sin(linspace(0.0, 5.0, 8)), {2, 4}) : zeros({2, 4}), {.name = "inner"}),
        outer_(spread ? fill({4}, 0.3) : zeros({4}), {.name = "outer"}) {}  //~

  Tensor count(const Tensor& land) const {
    const Tensor hidden = tanh(matmul(land, inner_));
    return matvec(hidden, outer_);  //!
  }
  const Variable& inner() const { return inner_; }
  const Variable& outer() const { return outer_; }

 private:
  Variable inner_, outer_;
};

int main(int argc, char**) {
  const Dens dens(argc > 1);
  const Variable base(constant(0.5), {.name = "base"});
  const Tensor land = reshape(cos(linspace(0.0, 7.0, 12)), {6, 2}), seen = linspace(0.0, 3.0, 6);
  std::vector<Tensor> gradients;
  for (int year = 0; year < 4; ++year) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(dens.count(land) + base - seen));
    }
    gradients = tape.gradient(loss, {dens.inner(), base});
    base.assign_sub(0.1 * gradients[1]);
  }
  report("inner", gradients[0]);
  report("base", gradients[1]);
}
