// The height of a dyke and what it costs; heights are kept between what law and ground allow.
#include "report.h"

using namespace tapescope;

struct Dyke {
  Variable height{constant({9.5, 11.0, 10.2}), {.name = "height"}};
  Variable slope{constant(0.4), {.name = "slope"}};

  Tensor allowed(double highest) const { return clip_by_value(height, 2.0, highest); }  //!
  Tensor damage(const Tensor& floods, double highest) const {
    const Tensor over = expand_dims(floods, 1) - expand_dims(allowed(highest), 0);
    return reduce_sum(softplus(over)) + 0.2 * reduce_sum(square(allowed(highest)) * (1.0 + slope));
  }
};

int main(int argc, char**) {
  const Dyke dyke;
  const double highest = argc > 1 ? 14.0 : 8.0;  //~
  std::vector<Tensor> gradients;
  for (int year = 0; year < 6; ++year) {
    GradientTape tape;
    Tensor damage;
    {
      auto recording = tape.record();
      damage = dyke.damage(constant({3.0, 7.0, 9.0, 12.0}), highest);  //~
    }
    gradients = tape.gradient(damage, {dyke.height, dyke.slope});
    dyke.slope.assign_sub(1e-3 * gradients[1]);
  }
  report("height", gradients[0]);
  report("slope", gradients[1]);
}
