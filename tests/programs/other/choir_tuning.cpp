// Tunes the voices of a choir against the organ, note by note.
#include "report.h"

using namespace tapescope;

class Choir {
 public:
  Variable pitch{constant({0.02, -0.05, 0.01, 0.04}), {.name = "pitch"}};

  Tensor beating(const Tensor& note) const {
    const Tensor apart = note * (pow(2.0, pitch) - 1.0);
    return reduce_mean(square(apart));
  }

  Tensor tuned(const Tensor& note) {
    GradientTape tape;
    Tensor beats;
    {
      auto recording = tape.record();
      beats = beating(note);
    }
    const Tensor gradient = tape.gradient(beats, pitch);
    pitch.assign_sub(0.001 * gradient);
    return gradient;
  }

  Tensor rehearse(const Tensor& note) {
    const auto tune = [this](const Tensor& note) { return tuned(note); };
    const Function step("rehearse", tune, {.arguments = {"note"}});  //~
    const Tensor gradient = step(note);  //!
    report_traces(step);
    return gradient;
  }

  Tensor rehearse_known(const Tensor& note) { return known_(note); }
  const auto& known() const { return known_; }

 private:
  Function<Tensor(const Tensor&)> known_{
      "rehearse", [this](const Tensor& note) { return tuned(note); }, {.arguments = {"note"}}};
};

int main(int argc, char**) {
  Choir choir;
  Tensor gradient;
  for (const double hertz : {220.0, 246.9, 261.6, 293.7, 329.6, 349.2, 392.0, 440.0}) {
    const Tensor note = constant(hertz / 100);
    gradient = argc > 1 ? choir.rehearse_known(note) : choir.rehearse(note);  //~
  }
  if (argc > 1) report_traces(choir.known());
  report("pitch", gradient);
}
