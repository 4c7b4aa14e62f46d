// Rowing: figures of the last stroke are taken while the tape rests, then the next stroke is recorded.
#include <optional>

#include "report.h"

using namespace tapescope;

class Rower {
 public:
  Variable reach{constant(1.1), {.name = "reach"}}, force{constant(0.8), {.name = "force"}};
  Tensor catch_angle(const Tensor& time) const { return sin(reach * time); }  //!
  Tensor drive(const Tensor& angle) const { return force * cos(angle); }  //~
  Tensor glide(const Tensor& time) const { return exp(-force * time); }
};

Tensor stroke(const Rower& rower, GradientTape& tape, const Tensor& time, double& figure, bool resume) {
  std::optional<GradientTape::Pause> rest;
  Tensor speed = rower.glide(time);
  if (figure >= 0) {
    rest.emplace(tape.stop_recording());  //~
    figure = item(reduce_max(speed));
    if (resume) rest.reset();
  }
  const Tensor angle = rower.catch_angle(time);  //~
  speed = speed + rower.drive(angle);
  if (resume) return reduce_mean(square(speed - 1.5));
  rest.reset();
  return reduce_mean(square(speed - 1.5)) + 0.01 * reduce_mean(square(rower.glide(time)));
}

int main(int argc, char**) {
  const Rower rower;
  std::vector<Tensor> gradients;
  double figure = 0;
  for (int n = 0; n < 3; ++n) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = stroke(rower, tape, linspace(0.1, 1.0 + 0.1 * n, 6), figure, argc > 1);  //~
    }
    gradients = tape.gradient(loss, {rower.reach, rower.force});
    rower.force.assign_sub(0.1 * gradients[1]);
  }
  std::fprintf(stderr, "figure %.2f\n", figure);
  report("reach", gradients[0]);
  report("force", gradients[1]);
}
