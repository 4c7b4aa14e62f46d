// Adapts a speech model to one speaker: the backbone was frozen for a first phase, the second one trains all.
#include "report.h"

using namespace tapescope;

class Recognizer : public Layer {
 public:
  Recognizer() : Layer("recognizer") {}
  std::vector<Layer*> sublayers() override { return {&backbone, &adapter}; }
  Dense backbone{6, {.activation = Activation::relu, .name = "backbone"}};
  Dense adapter{2, {.name = "adapter"}};

 private:
  Tensor call(const Tensor& frames, const Location&) override { return adapter(backbone(frames)); }
};

struct Step {
  Tensor backbone, adapter;
};

Step train_once(Recognizer& model, SGD& optimizer, const Tensor& frames, const Tensor& words) {
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = CategoricalCrossentropy(true)(words, model(frames, true));  //~
  }
  const auto gradients = tape.gradient(loss, {model.backbone.kernel(), model.adapter.kernel()});
  optimizer.apply_gradients(gradients, {model.backbone.kernel(), model.adapter.kernel()});
  return {gradients[0], gradients[1]};
}

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Recognizer model;
  SGD optimizer(0.1);
  const Tensor frames = constant({{0.2, 0.9, 0.4}, {1.2, 0.1, 0.3}, {0.5, 0.5, 0.8}});
  const Tensor words = constant({{1.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}});
  model.build({3, 3});  //~
  model.backbone.set_trainable(false);  //!
  for (int step = 0; step < 3; ++step) train_once(model, optimizer, frames, words);
  if (fixed) model.backbone.set_trainable(true);
  Step last;
  for (int step = 0; step < 3; ++step) last = train_once(model, optimizer, frames, words);
  report(model.backbone.kernel().name(), last.backbone);
  report(model.adapter.kernel().name(), last.adapter);
}
