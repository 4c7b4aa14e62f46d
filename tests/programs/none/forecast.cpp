// Forecasts electricity demand from weekday and temperature, watching the weights of the model alone.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Dense demand(1, {.name = "demand"});
  const Tensor days = constant({{0.0, 12.0}, {1.0, 9.0}, {2.0, 15.0}, {5.0, 20.0}});
  const Tensor load = constant({{52.0}, {57.0}, {49.0}, {41.0}});
  if (fixed) demand.build(days.shape());

  GradientTape tape({.watch_accessed_variables = false});  //~
  Tensor loss;
  {
    auto recording = tape.record();
    for (const Variable& weight : demand.trainable_variables()) tape.watch(weight);  //~
    const Tensor forecast = demand(days / 10.0);  //!
    loss = reduce_mean(square(forecast - load / 10.0));
  }
  report("demand/kernel", tape.gradient(loss, demand.kernel()));
}
