// How much does the ice soften for each of the inputs of a rink? Sensitivities by plain tensors.
#include "report.h"

using namespace tapescope;

struct Weather {
  Tensor warmth = constant({3.0, 7.5, 12.0}).named("warmth");
  Tensor sun = constant({0.1, 0.7, 0.9}).named("sun");
};

Tensor heat(const Weather& weather) { return 0.4 * weather.warmth + 2.0 * square(weather.sun); }  //!
Tensor softness(const Tensor& heat, const Tensor& visitors) {
  return reduce_sum(softplus(heat - 2.0) * (1.0 + 0.01 * visitors));
}

int main(int argc, char**) {
  const bool early = argc > 1;
  const Weather weather;
  const Tensor visitors = constant({40.0, 90.0, 160.0}).named("visitors");
  GradientTape tape;
  Tensor soft;
  {
    auto recording = tape.record();
    if (early) {
      tape.watch(weather.warmth);
      tape.watch(weather.sun);
    }
    const Tensor load = heat(weather);  //~
    if (!early) {
      tape.watch(weather.warmth);  //~
      tape.watch(weather.sun);  //~
    }
    tape.watch(visitors);
    soft = softness(load, visitors);
  }
  const auto gradients = tape.gradient(soft, {weather.warmth, weather.sun, visitors});
  report("warmth", gradients[0]);
  report("sun", gradients[1]);
  report("visitors", gradients[2]);
}
