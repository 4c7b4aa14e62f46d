// One-compartment pharmacokinetics: fits clearance and volume of a patient to plasma levels.
#include "report.h"

using namespace tapescope;

struct Patient {
  Variable clearance, volume;
  explicit Patient(bool from_population)
      : clearance(constant(4.2), {.name = "clearance"}),
        volume(constant(31.0), {.name = "volume", .trainable = !from_population}) {}  //!
};

Tensor plasma_level(const Patient& patient, double dose, const Tensor& hours) {
  const Tensor rate = patient.clearance / patient.volume;  //~
  return dose / patient.volume * exp(-rate * hours);  //~
}

int main(int argc, char**) {
  const Patient patient(/*from_population=*/argc == 1);  //~
  const Tensor hours = constant({1.0, 2.0, 4.0, 8.0});
  const Tensor measured = constant({2.9, 2.4, 1.8, 1.0});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor level = plasma_level(patient, 100.0, hours);
    const Tensor certainty = stop_gradient(1.0 / (1.0 + level));
    loss = reduce_mean(certainty * square(log(level) - log(measured)));
  }
  const auto gradients = tape.gradient(loss, {patient.clearance, patient.volume});
  report("clearance", gradients[0]);
  report("volume", gradients[1]);
}
