// Lays floor tiles by a relaxation whose number of sweeps grows from day to day.
#include "report.h"

using namespace tapescope;

class Floor {
 public:
  Variable heights{sin(linspace(0.0, 7.0, 16)), {.name = "heights"}};
  Tensor smoothed(Tensor state, int sweeps) const {
    for (int sweep = 0; sweep < sweeps; ++sweep)
      state = 0.5 * state + 0.25 * (roll(state, 1, 0) + roll(state, -1, 0));
    return state;
  }
};

int main(int argc, char**) {
  const Floor floor;
  const Function unevenness("unevenness",
                            [&](double weight) {
                              const Tensor smooth = floor.smoothed(floor.heights, 3);
                              return weight * reduce_mean(square(floor.heights - smooth));
                            },
                            {.arguments = {"weight"}});
  const Function unevenness_by("unevenness",
                               [&](const Tensor& weight) {
                                 const Tensor smooth = floor.smoothed(floor.heights, 3);
                                 return weight * reduce_mean(square(floor.heights - smooth));
                               },
                               {.arguments = {"weight"}});
  Tensor gradient;
  for (int day = 1; day <= 5; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = argc > 1 ? unevenness_by(constant(1.0 / day)) : unevenness(1.0 / day);  //!
    }
    gradient = tape.gradient(loss, floor.heights);
    floor.heights.assign_sub(0.2 * gradient);
  }
  report("heights", gradient);
  if (argc > 1) report_traces(unevenness_by);
  else report_traces(unevenness);
}
