// Growth of corals; the part where no light falls is cut out by where().
#include "report.h"

using namespace tapescope;

struct Reef {
  Variable thrive{0.7, {.name = "thrive"}};
  Tensor growth(const Tensor& light, bool safe) const {
    const Tensor lit = light > 0.0;
    const Tensor scaled = thrive * light;
    const Tensor inside = safe ? where(lit, scaled, ones_like(scaled)) : scaled;
    return where(lit, log(inside), zeros_like(scaled));  //!
  }
};

int main(int argc, char**) {
  const Reef reef;
  const Tensor light = constant({0.4, 0.0, 0.9}).named("light"), grown = constant({0.1, 0.0, 0.4});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(reef.growth(light, argc > 1) - grown));
  }
  report("thrive", tape.gradient(loss, reef.thrive));
}
