// Two phases of training a bird-song classifier: the head first, then everything.
#include "report.h"

using namespace tapescope;

class SongNet : public Layer {
 public:
  SongNet() : Layer("song") {}
  std::vector<Layer*> sublayers() override { return {&body_, &head_}; }

 private:
  void make_variables(const Shape& input, const Location& location) override {
    body_.build(input, location);
    head_.build({1, 3}, location);
  }
  Tensor call(const Tensor& x, const Location&) override { return head_(body_(x)); }
  Dense body_{3, {.activation = Activation::tanh, .name = "body"}};
  Dense head_{2, {.use_bias = false, .name = "head"}};
};

class SongTrainer {
 public:
  explicit SongTrainer(SongNet& net) : net_(net) {}

  std::vector<Tensor> step(const Tensor& songs, const Tensor& species) {
    const auto variables = net_.trainable_variables();  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = SparseCategoricalCrossentropy(true)(species, net_(songs, true));
    }
    return tape.gradient(loss, std::vector<Traced>(variables.begin(), variables.end()));  //!
  }

 private:
  SongNet& net_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  SongNet net;
  const Tensor songs = constant({{0.3, 0.8, 0.1}, {0.9, 0.2, 0.4}}), species = constant({0, 1}, DType::i32);
  net.build(songs.shape());
  net.set_trainable(false);  //~
  if (fixed) net.set_trainable(true);
  SongTrainer trainer(net);
  const auto gradients = trainer.step(songs, species);
  const auto variables = net.trainable_variables();
  for (std::size_t i = 0; i < gradients.size(); ++i) report(variables[i].name(), gradients[i]);
}
