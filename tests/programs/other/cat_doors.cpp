// Doors that know their cat: a traced step with a flag for training and for watching.
#include "report.h"

using namespace tapescope;

class Door {
 public:
  Variable fur{constant({0.3, -0.2, 0.4}), {.name = "fur"}}, size{constant(0.5), {.name = "size"}};
  Tensor knows(const Tensor& pictures, bool training) const {
    const Tensor seen = training ? pictures + 0.01 * sin(50.0 * pictures) : pictures;
    return sigmoid(matvec(seen, fur) + size);
  }
};

int main() {
  const Door door;
  const Function step("step",
                      [&](const Tensor& pictures, const Tensor& cat, bool training) {
                        const Tensor chance = clip_by_value(door.knows(pictures, training), 1e-6, 1.0 - 1e-6);
                        return -reduce_mean(cat * log(chance) + (1.0 - cat) * log(1.0 - chance));
                      },
                      {.arguments = {"pictures", "cat", "training"}});
  const Tensor pictures = reshape(cos(linspace(0.0, 7.0, 36)), {12, 3});
  const Tensor cat = cast(reduce_sum(pictures, 1) > 0.2, DType::f32);
  std::vector<Tensor> gradients;
  std::vector<double> history;
  for (int day = 0; day < 8; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = step(pictures, cat, true);
    }
    gradients = tape.gradient(loss, {door.fur, door.size});
    door.fur.assign_sub(0.3 * gradients[0]);
    door.size.assign_sub(0.3 * gradients[1]);
    history.push_back(item(step(pictures, cat, false)));
  }
  std::fprintf(stderr, "from %.3f to %.3f\n", history.front(), history.back());
  report("fur", gradients[0]);
  report("size", gradients[1]);
  report_traces(step);
}
