// What a network sees in a stained window: the colours and the lead between the panes are moved until it
// calls the window a rose.
#include "report.h"

using namespace tapescope;

class Dream {
 public:
  Dream(Sequential& net, int wanted) : net_(net), wanted_(wanted) {}

  std::vector<Tensor> push(const Tensor& colours, const Tensor& lead, bool early) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(colours);
      if (early) tape.watch(lead);
      const Tensor window = composed(colours, lead);
      follow(tape, lead);  //~
      loss = sparse_softmax_cross_entropy_with_logits(constant({wanted_}), net_(window));
      loss = reduce_mean(loss) + 0.01 * reduce_sum(square(colours));
    }
    return tape.gradient(loss, std::vector<Tensor>{colours, lead});
  }

 private:
  static Tensor composed(const Tensor& colours, const Tensor& lead) {
    const Tensor dark = sigmoid(4.0 * lead);  //!
    return expand_dims(colours * (1.0 - dark), 0);
  }
  static void follow(GradientTape& tape, const Tensor& what) {
    tape.watch(what);  //~
  }

  Sequential& net_;
  int wanted_;
};

int main(int argc, char**) {
  Sequential net(Dense(5, {.activation = Activation::softplus, .name = "inner", .seed = 3}),
                 Dense(3, {.name = "kinds", .seed = 4}));
  net.build({1, 6});
  net.set_trainable(false);
  Dream dream(net, 2);
  Tensor colours = linspace(0.2, 0.8, 6).named("colours"), lead = sin(linspace(0.0, 3.0, 6)).named("lead");
  std::vector<Tensor> pushes;
  for (int round = 0; round < 4; ++round) {
    pushes = dream.push(colours, lead, argc > 1);
    colours = (colours - 0.5 * pushes[0]).named("colours");
    if (pushes[1]) lead = (lead - 0.1 * pushes[1]).named("lead");
  }
  report("colours", pushes[0]);
  report("lead", pushes[1]);
}
