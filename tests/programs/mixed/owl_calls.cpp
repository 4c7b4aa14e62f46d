// Owls by their calls: an encoder and a head. Each part has its own tape, as each has its own optimizer.
#include "report.h"

using namespace tapescope;

struct Owls {
  Dense encoder{6, {.activation = Activation::tanh, .name = "encoder", .seed = 3}};
  Dense head{2, {.name = "head", .seed = 4}};
};

int main(int argc, char**) {
  const bool one_tape = argc > 1;
  Owls owls;
  const Tensor calls = reshape(sin(linspace(0.0, 9.0, 40)), {8, 5});
  const Tensor kinds = constant({0, 1, 1, 0, 1, 0, 0, 1});
  owls.encoder.build(calls.shape());
  owls.head.build({8, 6});
  SGD for_encoder(0.1), for_head(0.1);
  Tensor of_encoder, of_head;
  for (int night = 0; night < 3; ++night) {
    GradientTape encoder_tape, head_tape;
    Tensor features, loss;
    if (one_tape) {
      auto first = encoder_tape.record();
      auto second = head_tape.record();
      features = owls.encoder(calls);
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(kinds, owls.head(features)));
    } else {
      {
        auto recording = encoder_tape.record();
        features = owls.encoder(calls);
      }
      auto recording = head_tape.record();
      loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(kinds, owls.head(features)));  //!
    }
    of_encoder = encoder_tape.gradient(loss, owls.encoder.kernel());  //~
    of_head = head_tape.gradient(loss, owls.head.kernel());
    if (of_encoder) for_encoder.apply_gradients({of_encoder}, {owls.encoder.kernel()});
    for_head.apply_gradients({of_head}, {owls.head.kernel()});
  }
  report("encoder/kernel", of_encoder);
  report("head/kernel", of_head);
}
