// Two views of a thrush's song are to look alike. A slow copy of the encoder keeps the pair from collapsing.
#include "report.h"

using namespace tapescope;

class Encoder {
 public:
  Encoder(const std::string& name, bool trainable)
      : kernel_(reshape(sin(linspace(0.0, 5.0, 12)), {4, 3}),
                {.name = name + "/kernel", .trainable = trainable}),
        bias_(constant({0.1, 0.0, -0.1}), {.name = name + "/bias", .trainable = trainable}) {}

  Tensor operator()(const Tensor& song) const { return l2_normalize(matmul(song, kernel_) + bias_, {1}); }
  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

  void follow(const Encoder& fast, double rate) const {
    kernel_.assign(kernel_ + rate * (fast.kernel_ - kernel_));  //!
    bias_.assign(bias_ + rate * (fast.bias_ - bias_));  //!
  }

 private:
  Variable kernel_, bias_;
};

Tensor agreement(const Tensor& a, const Tensor& b) { return 2.0 - 2.0 * reduce_mean(reduce_sum(a * b, 1)); }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Encoder online("online", true), slow("slow", false);
  const Tensor dawn = reshape(cos(linspace(0.0, 9.0, 20)), {5, 4});
  const Tensor dusk = reshape(cos(linspace(0.4, 9.4, 20)), {5, 4});
  std::vector<Tensor> gradients;
  for (int walk = 0; walk < 3; ++walk) {
    GradientTape tape;
    Tensor apart;
    {
      auto recording = tape.record();
      slow.follow(online, 0.1);  //~
      apart = agreement(fixed ? online(dawn) : slow(dawn), stop_gradient(slow(dusk)));
    }
    gradients = tape.gradient(apart, {online.kernel(), online.bias()});
    if (!gradients[0]) continue;
    online.kernel().assign_sub(0.5 * gradients[0]);
    online.bias().assign_sub(0.5 * gradients[1]);
  }
  report("online/kernel", gradients[0]);
  report("online/bias", gradients[1]);
}
