// Dye baths for wool: the first bath is the reference that later ones are compared with.
#include "report.h"

using namespace tapescope;

class Bath {
 public:
  Variable uptake{constant({0.5, 0.3, 0.7}), {.name = "uptake"}};
  Variable heat{constant(0.9), {.name = "heat"}};

  Tensor shade(const Tensor& minutes) const {
    const Tensor rate = uptake * sigmoid(heat);  //!
    return 1.0 - exp(-rate * minutes);  //~
  }
};

class Comparison {
 public:
  Comparison(const Bath& bath, bool keep) : bath_(bath), keep_(keep) {}

  void dye(int number, const Tensor& minutes, const Tensor& wanted) {
    if (number > 0 && !keep_) tape_.reset();  //~
    losses_.push_back(reduce_mean(square(bath_.shade(minutes) - wanted)));  //~
  }
  std::vector<Tensor> run() {
    auto recording = tape_.record();
    for (int number = 0; number < 3; ++number) {
      dye(number, constant({1.0 + number, 2.0 + number, 1.5 + number}), constant({0.5, 0.4, 0.6}));  //~
    }
    return losses_;
  }
  std::vector<Tensor> slopes(const Tensor& loss) { return tape_.gradient(loss, {bath_.uptake, bath_.heat}); }

 private:
  const Bath& bath_;
  bool keep_;
  GradientTape tape_{{.persistent = true}};
  std::vector<Tensor> losses_;
};

int main(int argc, char**) {
  const Bath bath;
  Comparison comparison(bath, argc > 1);
  const std::vector<Tensor> losses = comparison.run();
  const auto last = comparison.slopes(losses.back());
  std::fprintf(stderr, "last bath: %.4f\n", item(last[1]));
  const auto reference = comparison.slopes(losses.front());  //~
  report("uptake", reference[0]);
  report("heat", reference[1]);
}
