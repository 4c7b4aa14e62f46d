// Smooths prices by a weighted mean over all days so far, one more each day.
#include <cmath>

#include "report.h"

using namespace tapescope;

class Smoother {
 public:
  explicit Smoother(bool relaxed)
      : mean_("weighted_mean",
              [this](const Tensor& prices, const Tensor& ages) {
                const Tensor weights = exp(-ages * softplus(decay));
                return reduce_sum(weights * prices) / reduce_sum(weights);
              },
              {.arguments = {"prices", "ages"}, .reduce_retracing = relaxed}) {}

  Tensor operator()(const Tensor& prices, const Tensor& ages) const {
    return mean_(prices, ages);  //!
  }
  const auto& function() const { return mean_; }

  Variable decay{constant(-1.0), {.name = "decay"}};

 private:
  Function<Tensor(const Tensor&, const Tensor&)> mean_;
};

int main(int argc, char**) {
  const Smoother smoother(argc > 1);
  std::vector<double> history;
  double last = 0;
  for (int day = 0; day < 6; ++day) {
    history.push_back(100 + 3 * std::sin(0.8 * day));
    const auto days = static_cast<std::int64_t>(history.size());
    const Tensor prices = constant(std::span<const double>(history), {days});
    const Tensor ages = range(static_cast<double>(days), DType::f32);
    last = element(smoother(prices, ages), 0);  //~
  }
  std::printf("smoothed %.2f\n", last);
  report_traces(smoother.function());
}
