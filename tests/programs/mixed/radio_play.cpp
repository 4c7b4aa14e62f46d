// Reads the next sound of a radio play from the sounds before; the first step of a scene has no memory yet.
#include "report.h"

using namespace tapescope;

using Step = std::pair<Tensor, Tensor>;

class Reader {
 public:
  Variable in{reshape(sin(linspace(0.0, 3.0, 12)), {3, 4}), {.name = "in"}};
  Variable back{0.5 * eye(4), {.name = "back"}};

  Function<Step(const Tensor&, const std::vector<Tensor>&)> step{
      "step",
      [this](const Tensor& sound, const std::vector<Tensor>& memory) {
        Tensor mind = matmul(sound, in);
        for (const Tensor& kept : memory) mind = mind + matmul(kept, back);
        const Tensor next = tanh(mind);
        return Step(next, reduce_mean(square(next)));
      },
      {.arguments = {"sound", "memory"}}};
};

int main(int argc, char**) {
  const Reader reader;
  std::vector<Tensor> gradients;
  for (int scene = 0; scene < 2; ++scene) {
    GradientTape tape;
    Tensor loss = constant(0.0);
    {
      auto recording = tape.record();
      std::vector<Tensor> memory;  //~
      if (argc > 1) memory.push_back(zeros({2, 4}));
      for (int second = 0; second < 4; ++second) {
        const Tensor sound = reshape(cos(linspace(second, 6.0, 6)), {2, 3});
        const auto [next, louder] = reader.step(sound, memory);  //!
        memory = {next};
        loss = loss + louder;
      }
    }
    gradients = tape.gradient(loss, {reader.in, reader.back});
    reader.in.assign_sub(0.1 * gradients[0]);
  }
  report("in", gradients[0]);
  report("back", gradients[1]);
  report_traces(reader.step);
}
