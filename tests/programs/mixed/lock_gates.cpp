// Water through the gates of a lock; the opening follows from a lever.
#include "report.h"

using namespace tapescope;

class Lock {
 public:
  Variable lever{constant({0.3, 0.6}), {.name = "lever"}};
  Variable friction{constant(0.8), {.name = "friction"}};

  Tensor opening() const { return sigmoid(4.0 * lever - 2.0); }  //~
  Tensor flow(const Tensor& opening, const Tensor& head) const { return friction * opening * sqrt(head); }
};

int main(int argc, char**) {
  const Lock lock;
  const Tensor head = constant({2.0, 3.5}), wanted = constant({0.9, 1.1});
  std::vector<Tensor> gradients;
  for (int boat = 0; boat < 3; ++boat) {
    const Tensor opening = lock.opening();  //!
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_sum(square(lock.flow(argc > 1 ? lock.opening() : opening, head) - wanted));
    }
    gradients = tape.gradient(miss, {lock.lever, lock.friction});
    lock.friction.assign_sub(0.01 * gradients[1]);
  }
  report("lever", gradients[0]);
  report("friction", gradients[1]);
}
