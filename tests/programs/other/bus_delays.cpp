// Mean delay of the buses of each line that ran today, corrected by a factor for the weather.
#include "report.h"

using namespace tapescope;

struct Day {
  Tensor minutes, line;
};

Tensor mean_delay(const Day& day, double line, const Variable& weather, bool fixed) {
  const Tensor of_line = boolean_mask(day.minutes, equal(day.line, line));
  if (fixed && of_line.dim(0) == 0) return constant(0.0);
  return reduce_mean(weather * of_line);  //!
}

int main(int argc, char**) {
  const Day day{.minutes = constant({3.0, 7.0, 1.0, 12.0, 4.0}).named("minutes"),
                .line = constant({11.0, 12.0, 11.0, 14.0, 12.0}).named("line")};
  const Variable weather(constant(1.1), {.name = "weather"});
  const double usual[] = {2.5, 5.0, 0.0, 9.0};
  GradientTape tape;
  Tensor loss = constant(0.0);
  {
    auto recording = tape.record();
    for (int line = 11; line <= 14; ++line) {
      loss = loss + square(mean_delay(day, line, weather, argc > 1) - usual[line - 11]);
    }
  }
  report("weather", tape.gradient(loss, weather));
}
