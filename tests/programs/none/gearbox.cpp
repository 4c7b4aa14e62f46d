// Fuel for a trip, by the gear that a speed calls for.
#include "report.h"

using namespace tapescope;

class Gearbox {
 public:
  Gearbox() {
    for (double ratio : {3.4, 2.1, 1.3}) {
      ratios_.emplace_back(constant(ratio), VariableOptions{.name = name(ratios_.size())});  //~
    }
  }
  Tensor fuel(double speed) const {
    const int gear = speed < 25 ? 0 : speed < 60 ? 1 : 2;
    std::vector<std::function<Tensor()>> use;
    for (const Variable& ratio : ratios_) {
      use.push_back([&ratio, speed] { return 0.02 * speed * ratio + 1.0 / ratio; });  //~
    }
    return switch_case(constant(gear, DType::i32), use);  //!
  }
  Tensor blended(double speed) const {
    Tensor sum = constant(0.0);
    const std::vector<double> share = {25 / speed, 0.5, speed / 120};
    for (std::size_t i = 0; i < 3; ++i) sum = sum + share[i] * (0.02 * speed * ratios_[i] + 1.0 / ratios_[i]);
    return sum;
  }
  const std::vector<Variable>& ratios() const { return ratios_; }

 private:
  static std::string name(std::size_t gear) { return "gear" + std::to_string(gear + 1); }
  std::vector<Variable> ratios_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Gearbox box;
  GradientTape tape;
  Tensor trip = constant(0.0);
  {
    auto recording = tape.record();
    for (double speed : {12.0, 20.0, 95.0, 110.0}) {
      trip = trip + (fixed ? box.blended(speed) : box.fuel(speed));  //~
    }
  }
  const auto gradients = tape.gradient(trip, std::vector<Traced>(box.ratios().begin(), box.ratios().end()));
  for (std::size_t i = 0; i < gradients.size(); ++i) report(box.ratios()[i].name(), gradients[i]);
}
