// The sound of a harp's string: a tone generator with memory. The gradient goes back through a few samples.
#include "report.h"

using namespace tapescope;

// Keeps gradients from running through the whole tone.
class Truncation {
 public:
  explicit Truncation(int every) : every_(every) {}
  Tensor operator()(const Tensor& state, int sample) const {
    if ((sample + 1) % every_) return state;
    return held(state);
  }

 private:
  static Tensor held(const Tensor& state) {
    return stop_gradient(state);  //!
  }
  int every_;
};

struct Harp {
  Variable pluck{constant({0.8, -0.3}), {.name = "pluck"}};
  Variable ring{constant({{0.9, -0.35}, {0.35, 0.9}}), {.name = "ring"}};
  Variable body{{0.2, 0.5}, {.name = "body"}};

  std::vector<Tensor> tone(int samples, const Truncation& truncated) const {
    std::vector<Tensor> heard;
    Tensor state = pluck;
    for (int sample = 0; sample < samples; ++sample) {
      state = truncated(state, sample);  //~
      state = tanh(matvec(ring, state));
      heard.push_back(reduce_sum(body * state));
    }
    return heard;
  }
};

int main(int argc, char**) {
  const Harp harp;
  const Truncation truncated(argc > 1 ? 4 : 1);  //~
  const Tensor loud = cast(constant({1, 1, 1, 1, 0, 0, 0, 0}), DType::f32);
  std::vector<Tensor> gradients;
  for (int note = 0; note < 3; ++note) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(stack(harp.tone(8, truncated)) - 0.3 * loud));
    }
    gradients = tape.gradient(miss, std::vector{harp.pluck, harp.ring, harp.body});
    harp.body.assign_sub(0.2 * gradients[2]);
  }
  report("pluck", gradients[0]);
  report("ring", gradients[1]);
  report("body", gradients[2]);
}
