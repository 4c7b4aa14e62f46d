// Learns how an insulin pump answers to a meal; every second day the policy is checked on a longer log.
#include "report.h"

using namespace tapescope;

// Rounds a dose to what the pump can give; the slope is that of the dose itself.
const CustomGradient pump_steps = custom_gradient("pump_steps", [](std::span<const Tensor> x) {
  return WithGradient{.outputs = {round(x[0] * 20.0) / 20.0},
                      .gradient = [](std::span<const Tensor> dy) { return std::vector<Tensor>{dy[0]}; }};
});

class Policy {
 public:
  Variable sensitivity{constant(0.8), {.name = "sensitivity"}};
  Variable basal{constant(0.3), {.name = "basal"}};

  Tensor dose(const Tensor& glucose) const {
    return pump_steps(relu(basal + sensitivity * (glucose - 1.0)));
  }
};

class Clinic {
 public:
  explicit Clinic(const Policy& policy)
      : policy_(policy), risk_("risk", [this](const Tensor& glucose) {
          const Tensor after = glucose - 0.5 * policy_.dose(glucose);
          const Tensor low = relu(0.7 - after), high = relu(after - 1.0);
          return cond(
              reduce_any(after < 0.6), [&] { return reduce_mean(4.0 * low + high + square(after - 0.9)); },
              [&] { return reduce_mean(high + square(after - 0.9)); });
        }, {.arguments = {"glucose"}}) {}

  std::vector<Tensor> train(const Tensor& glucose) {
    GradientTape tape;
    Tensor risk;
    {
      auto recording = tape.record();
      risk = risk_(glucose);
    }
    std::vector<Tensor> gradients = tape.gradient(risk, {policy_.sensitivity, policy_.basal});
    const auto [clipped, size] = clip_by_global_norm(gradients, 0.5);
    optimizer_.apply_gradients(clipped, {policy_.sensitivity, policy_.basal});
    return gradients;
  }
  double check(const Tensor& glucose) const { return item(risk_(glucose)); }
  const auto& function() const { return risk_; }

 private:
  const Policy& policy_;
  Function<Tensor(const Tensor&)> risk_;
  SGD optimizer_{0.05};
};

int main() {
  const Policy policy;
  Clinic clinic(policy);
  std::vector<Tensor> gradients;
  double worst = 0;
  for (int day = 0; day < 6; ++day) {
    gradients = clinic.train(0.9 + 0.8 * abs(sin(linspace(0.0, 3.0 + 0.1 * day, 12))));
    if (day % 2) worst = std::max(worst, clinic.check(0.8 + abs(cos(linspace(0.0, 6.0, 48)))));
  }
  if (worst > 10) std::printf("the pump is not to be used\n");
  report("sensitivity", gradients[0]);
  report("basal", gradients[1]);
  report_traces(clinic.function());
}
