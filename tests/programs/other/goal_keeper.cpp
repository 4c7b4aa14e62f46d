// A goal keeper learns where to stand: one head chooses the side, another values the position.
#include "report.h"

using namespace tapescope;

class Keeper {
 public:
  Variable eye{reshape(sin(linspace(0.0, 9.0, 24 * 40)) * 0.2, {24, 40}), {.name = "eye"}};
  Variable side{reshape(cos(linspace(0.0, 4.0, 40 * 3)) * 0.2, {40, 3}), {.name = "side"}};
  Variable worth{reshape(sin(linspace(1.0, 4.0, 40)) * 0.2, {40, 1}), {.name = "worth"}};

  Tensor look(const Tensor& shots) const { return tanh(matmul(shots, eye)); }
  Tensor choice_loss(const Tensor& seen, const Tensor& corner) const {
    return reduce_mean(sparse_softmax_cross_entropy_with_logits(corner, matmul(seen, side)));
  }
  Tensor worth_loss(const Tensor& seen, const Tensor& saved) const {
    return reduce_mean(square(matmul(seen, worth) - saved));
  }
};

int main(int argc, char**) {
  const Keeper keeper;
  const Tensor shots = reshape(sin(linspace(0.0, 80.0, 64 * 24)), {64, 24});
  std::vector<std::int32_t> corners;
  for (int i = 0; i < 64; ++i) corners.push_back((7 * i) % 3);
  const Tensor corner = constant(std::span<const std::int32_t>(corners), {64});
  const Tensor saved = reshape(cast(corner, DType::f32) * 0.5, {64, 1});

  std::vector<Tensor> by_choice, by_worth;
  for (int training = 0; training < 6; ++training) {
    if (argc > 1) {
      GradientTape tape({.persistent = true});
      Tensor choice, value;
      {
        auto recording = tape.record();
        const Tensor seen = keeper.look(shots);
        choice = keeper.choice_loss(seen, corner);
        value = keeper.worth_loss(seen, saved);
      }
      by_choice = tape.gradient(choice, {keeper.eye, keeper.side});
      by_worth = tape.gradient(value, {keeper.eye, keeper.worth});
    } else {
      GradientTape choosing, valuing;
      Tensor choice, value;
      {
        auto recording = choosing.record();
        choice = keeper.choice_loss(keeper.look(shots), corner);  //~
      }
      {
        auto recording = valuing.record();
        value = keeper.worth_loss(keeper.look(shots), saved);  //!
      }
      by_choice = choosing.gradient(choice, {keeper.eye, keeper.side});
      by_worth = valuing.gradient(value, {keeper.eye, keeper.worth});
    }
    keeper.eye.assign_sub(0.05 * (by_choice[0] + by_worth[0]));
    keeper.side.assign_sub(0.05 * by_choice[1]);
    keeper.worth.assign_sub(0.05 * by_worth[1]);
  }
  report("side", by_choice[1]);
  report("worth", by_worth[1]);
}
