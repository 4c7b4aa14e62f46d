// Echoes in a hall as a filter over time steps, in a traced step.
#include "report.h"

using namespace tapescope;

class Hall {
 public:
  Variable wall{constant({0.6, 0.5}), {.name = "wall"}}, air{constant(0.1), {.name = "air"}};
  Tensor bounce(const Tensor& sound, const Tensor& state) const { return wall * state * (1.0 - air) + sound; }
  Tensor walk(const Tensor& sounds) const {
    Tensor state = zeros({2});
    for (int t = 0; t < 64; ++t) {  //~
      state = bounce(sounds[t], state);  //!
    }
    return state;
  }
  Tensor scanned(const Tensor& sounds) const {
    const auto [t, state] = while_loop([](const Tensor& t, const Tensor&) { return t < 64; },
                                       [&](const Tensor& t, const Tensor& state) {
                                         return std::tuple(t + 1, bounce(gather(sounds, t), state));
                                       },
                                       std::tuple(constant(0), zeros({2})));
    return state;
  }
};

int main(int argc, char**) {
  const Hall hall;
  const Function listen(
      "listen",
      [&](const Tensor& sounds, const Tensor& heard) {
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = reduce_mean(square((argc > 1 ? hall.scanned(sounds) : hall.walk(sounds)) - heard));  //~
        }
        return tape.gradient(loss, {hall.wall, hall.air});
      },
      {.arguments = {"sounds", "heard"}});
  std::vector<Tensor> gradients;
  for (int clap = 0; clap < 5; ++clap) {
    gradients = listen(reshape(0.3 * sin(linspace(0.0, 9.0 + clap, 128)), {64, 2}), constant({0.5, 0.2}));
    hall.wall.assign_sub(0.01 * gradients[0]);
  }
  report("wall", gradients[0]);
  report("air", gradients[1]);
  report_traces(listen);
  const std::string graph = listen.get_concrete_function({zeros({64, 2}), zeros({2})}).graph_text();
  report_cost("graph_nodes", std::count(graph.begin(), graph.end(), '\n'));
}
