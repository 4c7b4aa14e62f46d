// A queue that is served in whole customers: how the wait follows from the arrival rate and the pace.
#include "report.h"

using namespace tapescope;

Tensor whole(const Tensor& customers, bool smooth) {
  return smooth ? customers - sin(6.2831853 * customers) / 6.2831853 : floor(customers);  //!
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Variable arrivals(constant(3.7), {.name = "arrivals"}), pace(constant(0.8), {.name = "pace"});
  GradientTape tape;
  Tensor wait;
  {
    auto recording = tape.record();
    const auto [hour, queue] =
        while_loop([](const Tensor& hour, const Tensor&) { return hour < 4; },
                   [&](const Tensor& hour, const Tensor& queue) {
                     return std::tuple(hour + 1, queue * 0.5 + whole(arrivals.value(), fixed));  //~
                   },
                   std::tuple(constant(0, DType::i32), constant(1.0)));
    wait = queue / pace;
  }
  const auto gradients = tape.gradient(wait, {arrivals, pace});
  report("arrivals", gradients[0]);
  report("pace", gradients[1]);
}
