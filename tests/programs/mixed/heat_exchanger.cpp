// A pipe in a bath: how the water in it warms along the way, for pipes of several makes.
#include "report.h"

using namespace tapescope;

struct Pipe {
  Variable transfer{constant({0.04, 0.05, 0.03}), {.name = "transfer"}};
  Variable leak{constant(0.002), {.name = "leak"}};

  // Temperature one segment further on.
  Tensor advance(const Tensor& warm, const Tensor& bath) const {
    return warm + transfer * (bath - warm) - leak * warm;
  }
};

constexpr int kSegments = 80;

Tensor outlet(const Pipe& pipe, const Tensor& inlet, const Tensor& bath, bool as_loop) {
  if (as_loop) {
    const auto [i, out] = while_loop(
        [](const Tensor& i, const Tensor&) { return i < kSegments; },
        [&](const Tensor& i, const Tensor& warm) { return std::tuple(i + 1, pipe.advance(warm, bath)); },
        std::tuple(constant(0), inlet));
    return out;
  }
  Tensor warm = inlet;
  for (int segment = 0; segment < kSegments; ++segment) {  //~
    warm = pipe.advance(warm, bath);  //!
  }
  return warm;  //~
}

int main(int argc, char**) {
  const Pipe pipe;
  const Function calibrate("calibrate", [&](const Tensor& inlet, const Tensor& measured) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(outlet(pipe, inlet, constant(80.0), argc > 1) - measured));  //~
    }
    return tape.gradient(loss, {pipe.transfer, pipe.leak});
  });
  std::vector<Tensor> gradients;
  for (int trial = 0; trial < 4; ++trial) {
    gradients = calibrate(constant({15.0, 16.0, 14.0 + trial}), constant({70.0, 74.0, 66.0}));
    pipe.transfer.assign_sub(1e-6 * gradients[0]);
  }
  report("transfer", gradients[0]);
  report("leak", gradients[1]);
  report_traces(calibrate);
  const std::string graph =
      calibrate.get_concrete_function({zeros({3}), zeros({3})}).graph_text();
  report_cost("graph_nodes", std::count(graph.begin(), graph.end(), '\n'));
}
