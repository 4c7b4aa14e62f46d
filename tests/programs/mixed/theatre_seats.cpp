// Prices of a theatre by row: fewer seats at a higher price against an empty hall.
#include "report.h"

using namespace tapescope;

struct Hall {
  Variable price{{22.0, 30.0, 48.0}, {.name = "price"}};
  Variable seats;
  Tensor rows = constant({1, 2, 3});

  Tensor earned(const Tensor& appetite) const {
    const Tensor wanted = appetite * exp(-price / 40.0) / sqrt(cast(rows, DType::f32));
    const Tensor offered = cast(seats, DType::f32);  //!
    const Tensor sold = offered * tanh(wanted / offered);
    return reduce_sum(sold * price) - 4.0 * reduce_sum(offered);
  }
};

Tensor season(const Hall& hall) {
  Tensor sum = constant(0.0);
  for (const double appetite : {150.0, 220.0, 90.0}) sum += hall.earned(constant(appetite));
  return -sum / 3.0;
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Hall hall{.seats = fixed ? Variable({120.0, 80.0, 40.0}, {.name = "seats"})
                                 : Variable({120, 80, 40}, {.name = "seats"})};  //~
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = season(hall);
  }
  const auto gradients = tape.gradient(loss, std::vector{hall.price, hall.seats});
  report("price", gradients[0]);
  report("seats", gradients[1]);
}
