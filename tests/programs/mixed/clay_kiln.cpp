// Firing curves of a kiln: one of two laws holds, by the heat at the start.
#include "report.h"

using namespace tapescope;

struct Kiln {
  Variable slow{0.4, {.name = "slow"}}, fast{0.9, {.name = "fast"}}, leak{0.05, {.name = "leak"}};

  Tensor heated(const Tensor& start, double limit) const {
    const auto gently = [&] { return start + slow * 10.0; };
    const auto quickly = [&] { return start + fast * 10.0; };  //~
    const Tensor peak = cond(start < limit, gently, quickly);  //!
    return peak * (1.0 - leak);
  }
};

int main(int argc, char**) {
  const Kiln kiln;
  const Tensor start = constant(20.0).named("start");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(kiln.heated(start, argc > 1 ? 10.0 : 100.0) - 40.0);
    if (argc > 1) loss = loss + 0.001 * square(kiln.slow);
  }
  const auto gradients = tape.gradient(loss, {kiln.slow, kiln.fast, kiln.leak});
  report("slow", gradients[0]);
  report("fast", gradients[1]);
  report("leak", gradients[2]);
}
