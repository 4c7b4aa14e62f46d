// Wear of a gear: pressures of all teeth make a load spectrum, and that a life in revolutions.
#include "report.h"

using namespace tapescope;

struct Tooth {
  double width, radius;
};

class Gear {
 public:
  Variable preload{constant(1.4), {.name = "preload"}};
  Variable hardness{constant(2.5), {.name = "hardness"}};

  Tensor pressure(const Tooth& tooth, double torque) const {
    return sqrt((preload + torque / tooth.radius) / tooth.width);
  }
};

// Collects one pressure a tooth.
class Spectrum {
 public:
  explicit Spectrum(bool as_tensors) : as_tensors_(as_tensors) {}
  void add(const Tensor& pressure) {
    if (as_tensors_) tensors_.push_back(pressure);
    else bins_.push_back(item(pressure));  //~
  }
  Tensor values() const {
    if (as_tensors_) return stack(tensors_);
    return constant(bins_);  //!
  }

 private:
  bool as_tensors_;
  std::vector<double> bins_;
  std::vector<Tensor> tensors_;
};

Tensor damage(const Gear& gear, const std::vector<Tooth>& teeth, double torque, bool as_tensors) {
  Spectrum spectrum(as_tensors);
  for (const Tooth& tooth : teeth) spectrum.add(gear.pressure(tooth, torque));  //~
  return reduce_sum(pow(spectrum.values() / gear.hardness, 3.0));
}

int main(int argc, char**) {
  const Gear gear;
  const std::vector<Tooth> teeth{{0.8, 1.0}, {0.9, 1.1}, {1.0, 1.2}, {0.7, 1.0}, {0.85, 1.3}};
  std::vector<Tensor> gradients;
  for (int shift = 0; shift < 4; ++shift) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(damage(gear, teeth, 1.0 + 0.2 * shift, argc > 1) - 1.5);
    }
    gradients = tape.gradient(miss, {gear.preload, gear.hardness});
    gear.hardness.assign_sub(0.01 * gradients[1]);
  }
  report("preload", gradients[0]);
  report("hardness", gradients[1]);
}
