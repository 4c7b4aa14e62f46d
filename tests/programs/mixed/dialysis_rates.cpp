// Urea in a patient on dialysis: clearance and volume from measured slopes of its concentration.
#include "report.h"

using namespace tapescope;

struct Patient {
  Variable clearance{constant(0.25), {.name = "clearance"}};
  Variable volume{constant(38.0), {.name = "volume"}};
  double urea = 24.0;

  Tensor concentration(const Tensor& minutes) const { return urea * exp(-clearance * minutes / volume); }
};

class Session {
 public:
  explicit Session(const Patient& patient) : patient_(patient) {}

  // How fast the urea falls at these minutes.
  Tensor slope(const Tensor& minutes) const {
    GradientTape tape;
    Tensor urea;
    {
      auto recording = tape.record();
      tape.watch(minutes);
      urea = patient_.concentration(minutes);
    }
    return tape.gradient(urea, minutes);  //!
  }

  Tensor misfit(const Tensor& slopes, const Tensor& seen) const {
    const Tensor prior = square((patient_.volume - 40.0) / 8.0);
    return reduce_mean(square(slopes - seen)) + 0.01 * prior;
  }

 private:
  const Patient& patient_;
};

int main(int argc, char**) {
  const bool nested = argc > 1;
  const Patient patient;
  const Session session(patient);
  const Tensor minutes = linspace(10.0, 240.0, 8);
  const Tensor seen = -0.2 * exp(-0.008 * minutes);
  std::map<std::string, Tensor> gradients;
  for (int round = 0; round < 4; ++round) {
    GradientTape fit;
    Tensor loss, slopes;
    if (!nested) slopes = session.slope(minutes);  //~
    {
      auto recording = fit.record();
      if (nested) slopes = session.slope(minutes);
      loss = session.misfit(slopes, seen);  //~
    }
    gradients = fit.gradient(loss, {{"clearance", patient.clearance}, {"volume", patient.volume}});
    for (const Variable& variable : {patient.clearance, patient.volume}) {
      const Tensor& gradient = gradients[std::string(variable.name())];
      if (gradient) variable.assign_sub(0.01 * gradient);
    }
  }
  report("clearance", gradients["clearance"]);
  report("volume", gradients["volume"]);
}
