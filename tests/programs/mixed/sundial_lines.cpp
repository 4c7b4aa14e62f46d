// Draws the hour lines of a sundial. The tape is made once, as making things again costs time.
#include <memory>

#include "report.h"

using namespace tapescope;

struct Dial {
  Variable tilt{0.8, {.name = "tilt"}};
  Variable turn{0.1, {.name = "turn"}};

  Tensor miss(const Tensor& hours) const {
    const Tensor shadow = atan2(sin(tilt) * sin(hours + turn), cos(hours + turn) + 2.0);
    return reduce_mean(square(shadow - 0.3 * hours));
  }
};

class Maker {
 public:
  explicit Maker(bool anew) : anew_(anew) { tape_ = fresh(); }

  std::vector<Tensor> round(const Dial& dial, const Tensor& hours) {
    if (anew_) tape_ = fresh();
    Tensor miss;
    {
      auto recording = tape_->record();  //~
      miss = dial.miss(hours);  //~
    }
    return tape_->gradient(miss, {dial.tilt, dial.turn});  //~
  }
  double kept() const { return static_cast<double>(tape_->counts().saved_bytes); }

 private:
  static std::unique_ptr<GradientTape> fresh() {
    return std::make_unique<GradientTape>(TapeOptions{.persistent = true, .name = "dial"});  //!
  }
  bool anew_;
  std::unique_ptr<GradientTape> tape_;
};

int main(int argc, char**) {
  const Dial dial;
  Maker maker(argc > 1);
  const Tensor hours = linspace(-1.2, 1.2, 20000);
  std::vector<Tensor> gradients;
  for (int round = 0; round < 25; ++round) {
    gradients = maker.round(dial, hours);
    dial.tilt.assign_sub(0.2 * gradients[0]);
    dial.turn.assign_sub(0.2 * gradients[1]);
  }
  report_cost("kept_bytes", maker.kept());
  report("tilt", gradients[0]);
  report("turn", gradients[1]);
}
