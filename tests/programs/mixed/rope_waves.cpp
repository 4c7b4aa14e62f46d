// Second derivatives of a wave's height in time and place, for the residual of the wave equation.
#include "report.h"

using namespace tapescope;

struct Wave {
  Variable height{0.8, {.name = "height"}}, speed{1.3, {.name = "speed"}};
  Tensor at(const Tensor& place, const Tensor& time) const { return height * sin(place - speed * time); }
};

Tensor residual(const Wave& wave, const Tensor& place, const Tensor& time, bool fixed) {
  GradientTape second({.persistent = true});
  Tensor by_time, by_place;
  GradientTape first({.persistent = true});
  {
    auto outer = second.record();
    second.watch(place);
    second.watch(time);
    {
      auto inner = first.record();
      first.watch(place);
      first.watch(time);
      const Tensor u = wave.at(place, time);
      if (fixed) {
        by_time = first.gradient(u, time);
        by_place = first.gradient(u, place);
      } else {
        by_time = u;
        by_place = u;
      }
    }
  }
  if (!fixed) {
    by_time = first.gradient(by_time, time);  //!
    by_place = first.gradient(by_place, place);  //~
  }
  return second.gradient(by_time, time);
}

int main(int argc, char**) {
  const Wave wave;
  const Tensor place = constant({0.1, 0.5, 0.9}).named("place"),
               time = constant({0.0, 0.2, 0.4}).named("time");
  report("time", residual(wave, place, time, argc > 1));
}
