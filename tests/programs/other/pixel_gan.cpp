// Two networks in turn, each with a tape: one paints strokes, the other tells them from real ones by their
// spread.
#include "report.h"

using namespace tapescope;

struct Painter {
  Variable stroke{zeros({3, 4}), {.name = "stroke"}};  //~
  Tensor paint(const Tensor& noise) const { return matmul(noise, stroke); }
};

struct Critic {
  Variable weight{constant({{0.2}, {0.4}}), {.name = "weight"}};
  bool fixed;

  Tensor judge(const Tensor& strokes) const {
    const Tensor spread = fixed ? sqrt(reduce_variance(strokes, 0) + 1e-6) : reduce_std(strokes, 0);  //!
    const Tensor features = stack({reduce_mean(strokes), reduce_mean(spread)});
    return reduce_sum(sigmoid(reshape(matmul(reshape(features, {1, 2}), weight), {})));
  }
};

int main(int argc, char**) {
  const Painter painter;
  const Critic critic{.fixed = argc > 1};
  const Tensor noise = stateless_random_normal({5, 3}, {4, 4}).named("noise"),
               real = stateless_random_normal({5, 4}, {4, 5});
  GradientTape painter_tape, critic_tape;
  Tensor painter_loss, critic_loss;
  {
    auto painting = painter_tape.record();
    auto judging = critic_tape.record();
    const Tensor painted = painter.paint(noise);
    painter_loss = 1.0 - critic.judge(painted);
    critic_loss = critic.judge(painted) - critic.judge(real);
  }
  report("stroke", painter_tape.gradient(painter_loss, painter.stroke));
  report("weight", critic_tape.gradient(critic_loss, critic.weight));
}
