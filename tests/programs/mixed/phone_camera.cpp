// Tone mapping of a phone's camera: a curve and a white balance, each with its own optimizer.
#include "report.h"

using namespace tapescope;

struct Frame {
  Tensor raw, reference;
};

class Pipeline {
 public:
  Variable balance{constant({1.1, 1.0, 1.3}), {.name = "balance"}};
  Variable knee{constant(0.7), {.name = "knee"}};
  Variable black{constant(0.02), {.name = "black", .trainable = false}};

  Tensor developed(const Tensor& raw) const {
    const Tensor linear = maximum(raw - black, 0.0) * balance;
    const Tensor bent = knee + (1.0 - knee) * tanh((linear - knee) / (1.0 - knee));
    return clip_by_value(where(linear < knee, linear, bent), 0.0, 1.0);
  }
};

class Tuner {
 public:
  explicit Tuner(Pipeline& pipeline) : pipeline_(pipeline) {}

  // Colour and contrast are judged apart.
  std::pair<Tensor, Tensor> learn(const Frame& frame) {
    GradientTape tape({.persistent = true});
    Tensor colour, contrast;
    {
      auto recording = tape.record();
      const Tensor picture = pipeline_.developed(frame.raw);
      const Tensor mean = reduce_mean(picture, 0), wanted = reduce_mean(frame.reference, 0);
      colour = reduce_sum(square(mean / reduce_sum(mean) - wanted / reduce_sum(wanted)));
      const Tensor exposure = stop_gradient(reduce_mean(picture) / reduce_mean(frame.reference));
      contrast = square(reduce_std(picture) - exposure * reduce_std(frame.reference));
    }
    const Tensor by_balance = tape.gradient(colour, pipeline_.balance);
    const Tensor by_knee = tape.gradient(contrast, pipeline_.knee);
    colours_.apply_gradients({by_balance}, {pipeline_.balance});
    curves_.apply_gradients({by_knee}, {pipeline_.knee});
    // The sensor's dark level follows what it saw, slowly.
    pipeline_.black.assign(0.98 * pipeline_.black + 0.02 * reduce_min(frame.raw));
    return {by_balance, by_knee};
  }

 private:
  Pipeline& pipeline_;
  SGD colours_{0.2};
  Adam curves_{0.01, {.clipnorm = 1.0}};
};

int main() {
  Pipeline pipeline;
  Tuner tuner(pipeline);
  std::pair<Tensor, Tensor> last;
  for (int shot = 0; shot < 4; ++shot) {
    const Tensor light = abs(sin(linspace(0.1, 5.0 + shot, 30)));
    last = tuner.learn({reshape(0.03 + 0.9 * light, {10, 3}), reshape(sqrt(0.05 + 0.9 * light), {10, 3})});
  }
  report("balance", last.first);
  report("knee", last.second);
}
