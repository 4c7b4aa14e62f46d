// Length of the next thread of a weave. Weaves have several lengths: what is filled up counts nothing.
#include "report.h"

using namespace tapescope;

class Weaver {
 public:
  Variable memory{constant(0.5), {.name = "memory"}};
  Variable pull{constant(0.3), {.name = "pull"}};

  Tensor guesses(const Tensor& threads) const {
    const std::int64_t steps = threads.shape()[1];
    Tensor state = zeros({threads.shape()[0]});
    std::vector<Tensor> all;
    for (std::int64_t t = 0; t < steps; ++t) {
      state = tanh(memory * state + pull * gather(threads, constant(static_cast<int>(t)), 1));
      all.push_back(state);
    }
    return stack(all, 1);
  }
};

Tensor masked_mean(const Tensor& errors, const Tensor& mask) {
  return reduce_sum(errors * mask) / maximum(reduce_sum(mask), 1.0);
}

int main() {
  const Weaver weaver;
  const Tensor threads = constant({{0.5, 0.2, 0.0, 0.0}, {0.1, 0.4, 0.3, 0.2}, {0.9, 0.0, 0.0, 0.0}});
  const Tensor next = constant({{0.2, 0.1, 0.0, 0.0}, {0.4, 0.3, 0.2, 0.1}, {0.7, 0.0, 0.0, 0.0}});
  const Tensor lengths = constant({2.0, 4.0, 1.0});
  const Tensor mask =
      cast(expand_dims(constant({0.0, 1.0, 2.0, 3.0}), 0) < expand_dims(lengths, 1), DType::f32);
  SGD optimizer(0.2);
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 5; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = masked_mean(square(weaver.guesses(threads) - next), mask);
    }
    gradients = tape.gradient(loss, {weaver.memory, weaver.pull});
    optimizer.apply_gradients(gradients, {weaver.memory, weaver.pull});
  }
  report("memory", gradients[0]);
  report("pull", gradients[1]);
}
