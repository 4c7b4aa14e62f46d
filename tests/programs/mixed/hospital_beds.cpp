// Forecasts how many beds the wards of a hospital need, each ward with its own trend.
#include "report.h"

using namespace tapescope;

struct Ward {
  std::string name;
  Variable level, trend;
  explicit Ward(const std::string& ward)
      : name(ward),
        level(constant(20.0), {.name = ward + "/level"}),
        trend(constant(0.1), {.name = ward + "/trend"}) {}
};

using Step = Function<Tensor(const Tensor&, const Tensor&)>;

Tensor misfit(const Tensor& days, const Tensor& occupied, const Tensor& level, const Tensor& trend) {
  return reduce_mean(square(level + trend * days - occupied));
}

class Forecaster {
 public:
  explicit Forecaster(const Ward& ward, bool keep) : ward_(ward), keep_(keep) {}

  std::vector<Tensor> revise(const Tensor& days, const Tensor& occupied) {
    if (!kept_ || !keep_) {
      kept_ = std::make_unique<Step>("misfit", [this](const Tensor& d, const Tensor& o) {  //!
        return misfit(d, o, ward_.level, ward_.trend);
      });
    }
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = (*kept_)(days, occupied);  //~
    }
    std::vector<Tensor> gradients = tape.gradient(loss, {ward_.level, ward_.trend});
    ward_.level.assign_sub(0.05 * gradients[0]);
    ward_.trend.assign_sub(0.001 * gradients[1]);
    traces_ += keep_ ? 0 : kept_->tracing_count();
    return gradients;
  }
  std::size_t traces() const { return keep_ ? kept_->tracing_count() : traces_; }

 private:
  const Ward& ward_;
  bool keep_;
  std::unique_ptr<Step> kept_;
  std::size_t traces_ = 0;
};

int main(int argc, char**) {
  const Ward ward("surgery");
  Forecaster forecaster(ward, argc > 1);
  const Tensor days = linspace(0.0, 6.0, 7);
  std::vector<Tensor> gradients;
  for (int week = 0; week < 5; ++week) {
    gradients = forecaster.revise(days, 22.0 + 0.3 * days + 0.2 * week);  //~
  }
  report("surgery/level", gradients[0]);
  report("surgery/trend", gradients[1]);
  std::printf("traces misfit %zu\n", forecaster.traces());
}
