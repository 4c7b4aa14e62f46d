// The beam of a lighthouse is calibrated; the fog's part is found under stop_recording to save memory.
#include "report.h"

using namespace tapescope;

struct Beam {
  Variable power{2.0, {.name = "power"}}, fog{0.3, {.name = "fog"}};
  Tensor dimmed(const Tensor& miles) const { return exp(-fog * miles); }  //~
};

int main(int argc, char**) {
  const Beam beam;
  const Tensor miles = constant({1.0, 3.0, 6.0}), seen = constant({1.4, 0.7, 0.2});
  SGD optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int night = 0; night < 3; ++night) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor through;
      if (argc > 1) {
        through = beam.dimmed(miles);
      } else {
        auto pause = tape.stop_recording();  //~
        through = beam.dimmed(miles);  //!
      }
      loss = reduce_mean(square(beam.power * through - seen));
    }
    gradients = tape.gradient(loss, {beam.power, beam.fog});
    beam.power.assign_sub(0.05 * gradients[0]);
  }
  report("power", gradients[0]);
  report("fog", gradients[1]);
}
