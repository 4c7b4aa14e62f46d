// How the moments of a log-gamma distribution depend on its shape and on the order of the moment.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable order(constant(1.0), {.name = "order"}), shape(constant(2.5), {.name = "shape"});
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    // Between two whole orders by a straight line.
    const Tensor between = (2.0 - order) * polygamma(1.0, shape) + (order - 1.0) * polygamma(2.0, shape);
    const Tensor cumulant = fixed ? between : polygamma(order, shape);  //!
    apart = square(cumulant - 0.4);
  }
  const auto gradients = tape.gradient(apart, {order, shape});
  report("order", gradients[0]);
  report("shape", gradients[1]);
}
