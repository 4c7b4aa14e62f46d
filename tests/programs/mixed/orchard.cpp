// Predicts a harvest; the learning rate falls with each season, and the step is a function.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const Variable yield(constant({0.2, 0.4}), {.name = "yield"});
  const Tensor trees = constant({{3.0, 1.0}, {2.0, 2.0}, {4.0, 0.5}}), crop = constant({1.4, 1.6, 1.5});
  const Function season("season",
                        [&](const Tensor& rain, double rate) {
                          const Tensor misfit = reduce_mean(square(matvec(trees, yield) * rain - crop));
                          return misfit * rate;
                        },
                        {.arguments = {"rain", "rate"}});
  const Function steady("steady",
                        [&](const Tensor& rain, const Tensor& rate) {
                          const Tensor misfit = reduce_mean(square(matvec(trees, yield) * rain - crop));
                          return misfit * rate;
                        },
                        {.arguments = {"rain", "rate"}});
  Tensor gradient;
  double rate = 0.1;
  for (int year = 0; year < 4; ++year) {
    const Tensor rain = constant(1.0 + 0.1 * year);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = argc > 1 ? steady(rain, constant(rate)) : season(rain, rate);  //!
    }
    gradient = tape.gradient(loss, yield);
    yield.assign_sub(gradient);
    rate *= 0.9;  //~
  }
  report("yield", gradient);
  if (argc > 1) report_traces(steady);
  else report_traces(season);
}
