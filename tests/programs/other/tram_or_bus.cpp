// The value of a traveller's best choice among three ways to town, by the price of time and the fare.
#include "report.h"

using namespace tapescope;

struct Offer {
  const char* name;
  double minutes, fare;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Offer offers[] = {{"walk", 55, 0}, {"bus", 25, 2.6}, {"tram", 18, 2.9}};
  const Variable comfort_bus(constant(0.2), {.name = "comfort_bus"});
  const Variable comfort_tram(constant(0.5), {.name = "comfort_tram"});
  const Variable time_price(constant(0.15), {.name = "time_price"});

  GradientTape tape;
  Tensor value;
  {
    auto recording = tape.record();
    const Tensor walk = -offers[0].minutes * time_price;
    const Tensor bus = comfort_bus - offers[1].minutes * time_price - offers[1].fare;
    const Tensor tram = comfort_tram - offers[2].minutes * time_price - offers[2].fare;
    const Tensor ride = fixed ? reduce_logsumexp(stack({bus, tram})) : maximum(bus, tram);  //!
    value = fixed ? reduce_logsumexp(stack({walk, ride})) : maximum(walk, ride);
  }
  const auto gradients = tape.gradient(value, {comfort_bus, comfort_tram, time_price});
  report("comfort_bus", gradients[0]);
  report("comfort_tram", gradients[1]);
  report("time_price", gradients[2]);
}
