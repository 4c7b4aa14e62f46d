// A museum's guide recognizes paintings: a frozen backbone, a head for painters, one for centuries, and one
// for the room, which visitors' phones are to fill in later.
#include "report.h"

using namespace tapescope;

struct Painting {
  Tensor pixels = reshape(sin(linspace(0.0, 22.0, 48)), {6, 8});
  Tensor painters = constant({0, 1, 2, 0, 1, 2});
  Tensor centuries = constant({0.2, 0.9, 0.4, 0.5, 0.1, 0.7});
};

class Guide {
 public:
  explicit Guide(bool all) : all_(all) {
    backbone_.build({6, 8});
    for (Layer* head : {&painter_, &century_, &room_}) head->build({6, 5});  //~
    if (!all_) backbone_.set_trainable(false);  //~
  }

  Tensor loss(GradientTape& tape, const Painting& shown) {
    const Tensor features = backbone_(shown.pixels);  //!
    Tensor loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(shown.painters, painter_(features)));
    loss += by_century(tape, features, shown.centuries);
    if (all_) loss += 0.01 * reduce_mean(square(room_(features)));
    return loss;
  }

  std::vector<Variable> kernels() const {
    return {backbone_.kernel(), painter_.kernel(), century_.kernel(), room_.kernel()};
  }

 private:
  // The centuries were only shown at first, not trained.
  Tensor by_century(GradientTape& tape, const Tensor& features, const Tensor& centuries) {
    const auto error = [&] {
      return reduce_mean(square(squeeze(century_(features), 1) - centuries));  //!
    };
    if (all_) return error();
    auto pause = tape.stop_recording();  //~
    return error();
  }

  bool all_;
  Dense backbone_{5, {.activation = Activation::tanh, .name = "backbone"}};
  Dense painter_{3, {.name = "painter"}}, century_{1, {.name = "century"}};
  Dense room_{4, {.name = "room"}};  //!
};

int main(int argc, char**) {
  Guide guide(argc > 1);
  const Painting shown;
  const auto kernels = guide.kernels();
  std::vector<Tensor> gradients;
  for (int visit = 0; visit < 2; ++visit) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = guide.loss(tape, shown);
    }
    gradients = tape.gradient(loss, kernels);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (gradients[i]) kernels[i].assign_sub(0.1 * gradients[i]);
    }
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) report(kernels[i].name(), gradients[i]);
}
