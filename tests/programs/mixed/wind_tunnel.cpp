// Drag of a body in a wind tunnel over the speed, with an onset below which nothing is measured.
#include "report.h"

using namespace tapescope;

struct Run {
  Tensor speed, force;
};

template <class Power>
class DragLaw {
 public:
  explicit DragLaw(Power power) : power_(power) {}
  Variable onset{constant(0.55), {.name = "onset"}};
  Variable factor{constant(0.8), {.name = "factor"}};
  Variable order{constant(1.7), {.name = "order"}};

  Tensor force(const Tensor& speed) const { return factor * power_(speed - onset, order); }

 private:
  Power power_;
};

int main(int argc, char**) {
  const bool bounded = argc > 1;
  const DragLaw law([=](const Tensor& excess, const Tensor& order) {
    return pow(bounded ? maximum(excess, 1e-3) : excess, order);  //!
  });
  const std::vector<Variable> fitted{law.onset, law.factor, law.order};
  SGD optimizer(0.1);
  std::vector<Tensor> gradients;
  for (int sweep = 0; sweep < 12; ++sweep) {
    const Run run{linspace(0.6, 3.0, 9), 0.3 * square(linspace(0.2, 2.0, 9))};
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      misfit = reduce_mean(square(law.force(run.speed) - run.force));  //~
    }
    gradients = tape.gradient(misfit, fitted);
    optimizer.apply_gradients(gradients, fitted);  //~
  }
  report("onset", gradients[0]);
  report("factor", gradients[1]);
  report("order", gradients[2]);
}
