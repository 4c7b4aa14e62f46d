// Timetable of a ferry: a rule is fitted with a rounded departure whose slope is passed on as if it were not
// rounded.
#include "report.h"

using namespace tapescope;

Tensor rounded_to_minutes(const Tensor& time) { return time + stop_gradient(round(time) - time); }

struct Timetable {
  Variable first{constant(6.3), {.name = "first"}};
  Variable interval{constant(41.7), {.name = "interval"}};

  Tensor departures(const Tensor& trip) const { return rounded_to_minutes(60.0 * first + interval * trip); }
};

int main() {
  const Timetable timetable;
  const Tensor trip = constant({0.0, 1.0, 2.0, 3.0}).named("trip"),
               asked = constant({375.0, 421.0, 460.0, 505.0}).named("asked");
  std::vector<Tensor> gradients;
  for (int season = 0; season < 6; ++season) {
    GradientTape tape;
    Tensor waiting;
    {
      auto recording = tape.record();
      waiting = reduce_mean(square(timetable.departures(trip) - asked)) / 3600.0;
    }
    gradients = tape.gradient(waiting, {timetable.first, timetable.interval});
    timetable.first.assign_sub(0.01 * gradients[0]);
    timetable.interval.assign_sub(1.0 * gradients[1]);
  }
  report("first", gradients[0]);
  report("interval", gradients[1]);
}
