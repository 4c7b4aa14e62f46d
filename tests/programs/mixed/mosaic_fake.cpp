// A painter of mosaics and an expert, trained in turns; each turn updates the one alone.
#include "report.h"

using namespace tapescope;

class Expert {
 public:
  Dense look{6, {.activation = Activation::leaky_relu, .name = "look", .seed = 2}};
  Dense verdict{1, {.name = "verdict", .seed = 3}};
  Tensor operator()(const Tensor& mosaics) { return verdict(look(mosaics)); }
};

int main() {
  Dense painter(4, {.activation = Activation::tanh, .name = "painter", .seed = 1});
  Expert expert;
  const Tensor noise = reshape(cos(linspace(0.0, 17.0, 24)), {8, 3});
  const Tensor real = reshape(0.5 * sin(linspace(0.0, 21.0, 32)), {8, 4});
  (void)expert(painter(noise));
  const std::vector<Variable> of_expert = {expert.look.kernel(), expert.verdict.kernel()};
  const std::vector<Variable> of_painter = {painter.kernel(), painter.bias()};
  Adam expert_steps(0.01), painter_steps(0.01);
  std::vector<Tensor> by_expert, by_painter;
  const auto loss_of = [](const Tensor& logits, double wanted) {
    return reduce_mean(sigmoid_cross_entropy_with_logits(fill(logits.shape(), wanted), logits));
  };
  for (int turn = 0; turn < 8; ++turn) {
    GradientTape tape;
    Tensor loss;
    if (turn % 2 == 0) {
      const Tensor fake = painter(noise);
      {
        auto recording = tape.record();
        loss = loss_of(expert(real), 1.0) + loss_of(expert(fake), 0.0);
      }
      by_expert = tape.gradient(loss, {of_expert[0], of_expert[1]});
      expert_steps.apply_gradients(by_expert, of_expert);
    } else {
      {
        auto recording = tape.record();
        loss = loss_of(expert(painter(noise)), 1.0);
      }
      by_painter = tape.gradient(loss, {of_painter[0], of_painter[1]});
      painter_steps.apply_gradients(by_painter, of_painter);
    }
  }
  report("look/kernel", by_expert[0]);
  report("verdict/kernel", by_expert[1]);
  report("painter/kernel", by_painter[0]);
  report("painter/bias", by_painter[1]);
}
