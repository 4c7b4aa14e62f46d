// The paddle of a wave tank: two records are compared in a basis, and turned there and back for it.
#include "report.h"

using namespace tapescope;

Tensor upright(const Tensor& record) { return transpose(record); }  //~
Tensor flat(const Tensor& record) { return transpose(record); }  //~

class Tank {
 public:
  Variable paddle{reshape(sin(linspace(0.0, 4.0, 6400)), {100, 64}), {.name = "paddle"}};

  Tensor waves(bool plain) const {
    const Tensor moved = tanh(paddle) * 0.5;
    return plain ? moved : flat(upright(moved));  //!
  }
};

int main(int argc, char**) {
  const Tank tank;
  const Tensor wanted = reshape(cos(linspace(0.0, 4.0, 6400)), {100, 64});
  Tensor gradient;
  for (int run = 0; run < 4; ++run) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(tank.waves(argc > 1) - wanted));
    }
    gradient = tape.gradient(miss, tank.paddle);
    tank.paddle.assign_sub(gradient);
  }
  report("paddle", gradient);
}
