// Predicts clouds on long films by a deep stack of equal blocks. The films are as long as memory allows.
#include "report.h"

using namespace tapescope;

class Stack {
 public:
  explicit Stack(bool again) : again_(again) {
    for (int i = 0; i < 6; ++i)
      mixes_.emplace_back(reshape(0.3 * sin(linspace(i, 9.0 + i, 64)), {8, 8}),
                          VariableOptions{.name = "mix" + std::to_string(i)});
  }

  Tensor operator()(Tensor film) const {
    for (const Variable& mix : mixes_) {
      if (again_) film = recompute_grad([&](const Tensor& x) { return block(x, mix); })(film);
      else film = block(film, mix);  //~
    }
    return film;
  }
  const Variable& first() const { return mixes_.front(); }
  const Variable& last() const { return mixes_.back(); }

 private:
  static Tensor block(const Tensor& film, const Variable& mix) {
    const Tensor wide = matmul(film, mix);  //!
    const Tensor light = exp(-square(wide)) * sigmoid(wide) + tanh(wide);  //~
    return film + 0.5 * softplus(light) * sin(wide);  //~
  }

  bool again_;
  std::vector<Variable> mixes_;
};

int main(int argc, char**) {
  const Stack stack(argc > 1);
  const Tensor film = reshape(sin(linspace(0.0, 300.0, 20000 * 8)), {20000, 8});
  std::vector<Tensor> gradients;
  double kept = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(stack(film) - roll(film, -1, 0)));
      kept += static_cast<double>(tape.counts().saved_bytes);
    }
    gradients = tape.gradient(miss, {stack.first(), stack.last()});  //~
  }
  report_cost("kept_bytes", kept);
  report("mix0", gradients[0]);
  report("mix5", gradients[1]);
}
