// Counts comb jellies in sonar pictures by a small network.
#include "report.h"

using namespace tapescope;

class Counter {
 public:
  explicit Counter(double start)
      : kernel(0.3 * reshape(sin(linspace(0.0, 6.0, 20)), {5, 4}), {.name = "kernel"}),
        bias(fill({4}, start), {.name = "bias"}),
        out(constant({0.5, 0.4, 0.3, 0.2}), {.name = "out"}) {}
  Tensor count(const Tensor& pictures) const {
    const Tensor cells = relu(matmul(pictures, kernel) + bias);  //!
    return matvec(cells, out) + base;
  }
  Variable kernel, bias, out;
  Variable base{constant(0.1), {.name = "base"}};
};

int main(int argc, char**) {
  const Counter counter(argc > 1 ? 0.5 : -6.0);  //~
  const Tensor pictures = reshape(abs(cos(linspace(0.0, 12.0, 30))), {6, 5});
  const Tensor seen = constant({3.0, 1.0, 4.0, 1.0, 5.0, 2.0});
  std::vector<Tensor> gradients;
  for (int dive = 0; dive < 4; ++dive) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(counter.count(pictures) - seen));
    }
    gradients = tape.gradient(miss, {counter.kernel, counter.bias, counter.base});
    counter.base.assign_sub(0.1 * gradients[2]);
  }
  report("kernel", gradients[0]);
  report("bias", gradients[1]);
  report("base", gradients[2]);
}
