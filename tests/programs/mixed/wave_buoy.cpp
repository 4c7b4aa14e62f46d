// A buoy's heave in waves, its drag and added mass fitted after a restart from saved numbers.
#include "report.h"

using namespace tapescope;

using Saved = std::map<std::string, double>;

class Buoy {
 public:
  explicit Buoy(const Saved& saved) { restore(saved); }
  void restore(const Saved& saved) {
    for (const auto& [name, value] : saved) {
      parameters_[name] = Variable(constant(value), {.name = name});  //!
    }
  }
  const Variable& operator[](const std::string& name) const { return parameters_.at(name); }
  std::vector<Variable> all_parameters() const {
    std::vector<Variable> found;
    for (const auto& [name, variable] : parameters_) found.push_back(variable);
    return found;
  }

  // Amplitude of heave for waves of these frequencies, by the linear theory.
  Tensor heave(const Tensor& omega) const {
    const Buoy& b = *this;
    const Tensor restoring = 1.0 - (1.0 + b["added_mass"]) * square(omega);
    return rsqrt(square(restoring) + square(b["drag"] * omega));
  }

 private:
  std::map<std::string, Variable> parameters_;
};

int main(int argc, char**) {
  Buoy buoy({{"added_mass", 0.5}, {"drag", 0.3}});
  std::vector<Variable> fitted = buoy.all_parameters();  //~
  buoy.restore({{"added_mass", 0.42}, {"drag", 0.36}});  //~
  if (argc > 1) fitted = buoy.all_parameters();
  const Tensor omega = linspace(0.3, 1.5, 9), measured = 1.0 + exp(-4.0 * square(omega - 0.8));
  RMSprop optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int storm = 0; storm < 3; ++storm) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor calm = stop_gradient(reduce_mean(buoy.heave(omega)));
      loss = reduce_mean(square(buoy.heave(omega) - measured)) / calm;
    }
    gradients = tape.gradient(loss, fitted);  //~
    if (gradients[0]) optimizer.apply_gradients(gradients, fitted);
  }
  report("added_mass", gradients[0]);
  report("drag", gradients[1]);
}
