// Speech from a tube: a resonator that hums along keeps its air in a state, frame by frame.
#include "report.h"

using namespace tapescope;

struct Settings {
  Variable decay, drive, mouth;
  Settings()
      : decay(constant(0.6), {.name = "decay"}),
        drive(constant(0.9), {.name = "drive"}),
        mouth(constant(0.4), {.name = "mouth"}) {}
};

class Resonator {
 public:
  Resonator(const Settings& settings, bool carried) : settings_(settings), carried_(carried) {}

  void reset() {
    air_.assign(zeros({4}));
    now_ = Tensor();
  }
  Tensor frame(const Tensor& glottis) {
    const Tensor before = now_ ? now_ : air_.value();
    const Tensor after = settings_.decay * before + settings_.drive * glottis;
    if (carried_) return radiated(now_ = after);
    air_.assign(after);  //!
    return radiated(air_);  //~
  }

 private:
  template <class Air>
  Tensor radiated(const Air& air) const {
    return tanh(settings_.mouth * air);  //~
  }

  const Settings& settings_;
  Variable air_{zeros({4}), {.name = "air", .trainable = false}};
  bool carried_;
  Tensor now_;
};

int main(int argc, char**) {
  const Settings settings;
  Resonator resonator(settings, argc > 1);
  const Tensor heard = constant({0.3, 0.35, 0.2, 0.1});
  std::vector<Tensor> gradients;
  for (int vowel = 0; vowel < 3; ++vowel) {
    resonator.reset();
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = constant(0.0);
      for (int frame = 0; frame < 5; ++frame) {
        const Tensor sound = resonator.frame(0.5 + 0.4 * cos(linspace(0.0, 2.0 + frame, 4)));  //~
        loss += reduce_mean(square(sound - heard));
      }
    }
    gradients = tape.gradient(loss, {settings.decay, settings.drive, settings.mouth});
    settings.mouth.assign_sub(0.05 * gradients[2]);
  }
  report("decay", gradients[0]);
  report("drive", gradients[1]);
  report("mouth", gradients[2]);
}
