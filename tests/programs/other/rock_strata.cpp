// Layers of rock in two drill holes are matched by how alike their readings run.
#include "report.h"

using namespace tapescope;

class Log {
 public:
  Log(std::string name, std::vector<Tensor> windows) : name_(std::move(name)), windows_(std::move(windows)) {}
  const std::vector<Tensor>& windows() const { return windows_; }

 private:
  std::string name_;
  std::vector<Tensor> windows_;
};

class Matcher {
 public:
  explicit Matcher(double floor) : floor_(floor) {}
  Variable gain{constant(1.3), {.name = "gain"}};
  Variable drift{constant(0.2), {.name = "drift"}};

  Tensor alike(const Tensor& one, const Tensor& other) const {
    const Tensor shaped = tanh(gain * other + drift * linspace(0.0, 1.0, 5));
    return reduce_mean(standard(one) * standard(shaped));
  }
  Tensor size() const { return square(gain) + square(drift); }

 private:
  Tensor standard(const Tensor& readings) const {
    const Tensor centred = readings - reduce_mean(readings);
    const Tensor spread = sqrt(reduce_mean(square(centred)) + floor_);  //~
    return centred / spread;  //!
  }
  double floor_;
};

int main(int argc, char**) {
  const Matcher matcher(argc > 1 ? 1e-6 : 0.0);
  const Log north("north", {constant({1.0, 2.0, 3.0, 2.5, 2.0}), constant({0.5, 0.4, 0.9, 1.0, 1.1}),
                            constant({2.0, 2.0, 2.0, 2.0, 2.0})});
  const Log south("south", {constant({0.9, 1.8, 3.1, 2.4, 2.2}), constant({0.4, 0.5, 0.8, 1.1, 1.0}),
                            constant({1.8, 1.9, 2.1, 2.0, 1.9})});
  std::vector<Tensor> gradients;
  for (std::size_t depth = 0; depth < north.windows().size(); ++depth) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = 1.0 - matcher.alike(north.windows()[depth], south.windows()[depth]) + 0.01 * matcher.size();  //~
    }
    gradients = tape.gradient(loss, {matcher.gain, matcher.drift});
    matcher.gain.assign_sub(0.01 * gradients[0]);
  }
  report("gain", gradients[0]);
  report("drift", gradients[1]);
}
