// Fits how an implant maps the loudness in each channel to the current of its electrode.
#include "report.h"

using namespace tapescope;

struct Channel {
  Variable threshold, comfort;
  Channel(int number, double low, double high)
      : threshold(constant(low), {.name = "threshold" + std::to_string(number)}),
        comfort(constant(high), {.name = "comfort" + std::to_string(number)}) {}
};

class Processor {
 public:
  explicit Processor(bool exact) : exact_(exact) {
    for (int i = 0; i < 3; ++i) channels.emplace_back(i, 0.1 + 0.02 * i, 0.8 + 0.05 * i);
  }

  Tensor currents(const Tensor& loudness) const {
    const Tensor shares = compressed(loudness);
    std::vector<Tensor> columns;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const auto& [threshold, comfort] = channels[i];
      columns.push_back(threshold + (comfort - threshold) * shares(all, static_cast<std::int64_t>(i)));
    }
    return stack(columns, 1);
  }
  std::vector<Variable> fitted() const {
    std::vector<Variable> found{steepness};
    for (const Channel& channel : channels) {
      found.push_back(channel.threshold);
      found.push_back(channel.comfort);
    }
    return found;
  }

  Variable steepness{constant(3.2), {.name = "steepness"}};
  std::vector<Channel> channels;

 private:
  // The logarithmic law of clinics, one at full loudness.
  Tensor compressed(const Tensor& loudness) const {
    if (exact_) return log1p(steepness * loudness) / log1p(steepness);
    const double rho = item(steepness);  //!
    return log1p(rho * loudness) / std::log1p(rho);  //~
  }
  bool exact_;
};

int main(int argc, char**) {
  const Processor processor(argc > 1);
  const Tensor loudness = reshape(abs(sin(linspace(0.2, 6.0, 24))), {8, 3});
  const Tensor wanted = 0.3 + 0.5 * sqrt(loudness);
  const std::vector<Variable> fitted = processor.fitted();
  Adam adam(0.02);
  std::vector<Tensor> gradients;
  for (int visit = 0; visit < 5; ++visit) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor currents = processor.currents(loudness);
      const Tensor ceiling = stop_gradient(reduce_max(currents));
      loss = reduce_mean(square((currents - wanted) / ceiling));
    }
    gradients = tape.gradient(loss, fitted);
    adam.apply_gradients(gradients, fitted);
  }
  for (std::size_t i = 0; i < 3; ++i) report(fitted[i].name(), gradients[i]);
}
