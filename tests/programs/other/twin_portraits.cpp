// Tells whether two portraits show one person: both pass through the same layers.
#include "report.h"

using namespace tapescope;

class Portraits {
 public:
  Variable strokes{reshape(sin(linspace(0.0, 30.0, 48 * 32)) * 0.2, {48, 32}), {.name = "strokes"}};
  Variable shift{linspace(-0.1, 0.1, 32), {.name = "shift"}};

  Tensor face(const Tensor& portrait) const {
    const Tensor seen = tanh(matmul(portrait, strokes) + shift);
    return l2_normalize(seen, 1);
  }
  Tensor apart(const Tensor& one, const Tensor& other) const {
    return reduce_sum(square(face(one) - face(other)), 1);
  }
};

int main() {
  const Portraits model;
  const Tensor one = reshape(sin(linspace(0.0, 40.0, 64 * 48)), {64, 48});
  const Tensor other = reshape(cos(linspace(0.0, 41.0, 64 * 48)), {64, 48});
  const Tensor same = cast(sin(linspace(0.0, 60.0, 64)) > 0.0, DType::f32);
  std::vector<Tensor> gradients;
  for (int evening = 0; evening < 6; ++evening) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor apart = model.apart(one, other);
      loss = reduce_mean(same * apart + (1.0 - same) * square(relu(1.0 - sqrt(apart + 1e-6))));
    }
    gradients = tape.gradient(loss, {model.strokes, model.shift});
    model.strokes.assign_sub(0.1 * gradients[0]);
    model.shift.assign_sub(0.1 * gradients[1]);
  }
  report("strokes", gradients[0]);
  report("shift", gradients[1]);
}
