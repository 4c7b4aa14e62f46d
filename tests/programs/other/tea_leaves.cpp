// Drying of tea leaves: temperatures of forty trays are tuned by a momentum written by hand.
#include "report.h"

using namespace tapescope;

class Dryer {
 public:
  Variable warmth{linspace(0.4, 1.2, 40), {.name = "warmth"}};
  Variable air{fill({40}, 0.5), {.name = "air"}};
  Tensor spoiled(const Tensor& leaves) const {
    const Tensor wet = leaves * exp(-warmth * softplus(air));
    return reduce_mean(square(wet - 0.3)) + 0.01 * reduce_mean(square(warmth));
  }
};

class HostMomentum {
 public:
  void apply(const std::vector<Variable>& variables, const std::vector<Tensor>& gradients) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      std::vector<double>& speed = speeds_[v];
      const std::vector<double> slope = host_values(gradients[v]);  //!
      std::vector<double> now = host_values(variables[v].value());  //~
      speed.resize(slope.size());
      for (std::size_t i = 0; i < slope.size(); ++i) {
        speed[i] = 0.8 * speed[i] - 0.5 * slope[i];
        now[i] += speed[i];
      }
      variables[v].assign(constant(now));  //~
      reads += 2;
    }
  }
  int reads = 0;

 private:
  std::map<std::size_t, std::vector<double>> speeds_;
};

class TensorMomentum {
 public:
  void apply(const std::vector<Variable>& variables, const std::vector<Tensor>& gradients) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      Tensor& speed = speeds_[v];
      speed = speed ? 0.8 * speed - 0.5 * gradients[v] : -0.5 * gradients[v];
      variables[v].assign_add(speed);
    }
  }

 private:
  std::map<std::size_t, Tensor> speeds_;
};

int main(int argc, char**) {
  const Dryer dryer;
  HostMomentum on_host;
  TensorMomentum on_tensors;
  const Tensor leaves = 0.8 + 0.1 * cos(linspace(0.0, 9.0, 40));
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 12; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = dryer.spoiled(leaves);
    }
    gradients = tape.gradient(loss, {dryer.warmth, dryer.air});
    if (argc > 1) on_tensors.apply({dryer.warmth, dryer.air}, gradients);
    else on_host.apply({dryer.warmth, dryer.air}, gradients);  //~
  }
  report_cost("host_reads", on_host.reads);
  report("warmth", gradients[0]);
  report("air", gradients[1]);
}
