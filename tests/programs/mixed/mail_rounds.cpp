// A postman's rounds: distances are scaled once before the loop, as they stay the same from day to day.
#include "report.h"

using namespace tapescope;

struct Postman {
  Variable scale{constant(1.2), {.name = "scale"}};
  Variable pace{constant(0.9), {.name = "pace"}};

  Tensor ways(const Tensor& map) const { return scale * sqrt(map + 0.1); }  //~
  Tensor hours(const Tensor& ways) const { return cumsum(ways / pace); }
};

int main(int argc, char**) {
  const bool each_day = argc > 1;
  const Postman postman;
  const Tensor map = abs(sin(linspace(0.0, 6.0, 8))), seen = linspace(0.5, 9.0, 8);
  const Tensor ways = postman.ways(map);  //!
  const Function<Tensor(const Tensor&)> miss_of(
      "miss_of", [&](const Tensor& of) { return reduce_mean(square(postman.hours(of) - seen)); });
  std::vector<Tensor> gradients;
  for (int day = 0; day < 5; ++day) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = miss_of(each_day ? postman.ways(map) : ways);  //~
    }
    gradients = tape.gradient(miss, {postman.scale, postman.pace});
    postman.pace.assign_sub(0.01 * gradients[1]);
  }
  report("scale", gradients[0]);
  report("pace", gradients[1]);
}
