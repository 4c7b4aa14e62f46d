// Blends ciders by taste and by price, both judged from the same features of the apples.
#include "report.h"

using namespace tapescope;

class Blend {
 public:
  Variable kernel{reshape(sin(linspace(0.0, 9.0, 48)), {8, 6}), {.name = "kernel"}};
  Variable taste{cos(linspace(0.0, 2.0, 6)), {.name = "taste"}};
  Variable price{sin(linspace(0.5, 2.0, 6)), {.name = "price"}};

  Tensor features(const Tensor& apples) const {
    return tanh(matmul(apples, kernel));  //!
  }
  Tensor by_taste(const Tensor& features) const { return reduce_mean(square(matvec(features, taste) - 0.7)); }
  Tensor by_price(const Tensor& features) const { return reduce_mean(abs(matvec(features, price) - 0.2)); }

  Tensor regret(const Tensor& apples) const {
    return by_taste(features(apples)) + 0.3 * by_price(features(apples));  //~
  }
  Tensor regret_once(const Tensor& apples) const {
    const Tensor seen = features(apples);
    return by_taste(seen) + 0.3 * by_price(seen);
  }
};

int main(int argc, char**) {
  const Blend blend;
  const Tensor apples = reshape(cos(linspace(0.0, 40.0, 256 * 8)), {256, 8});
  std::map<std::string, Tensor> gradients;
  for (int barrel = 0; barrel < 4; ++barrel) {
    GradientTape tape;
    Tensor regret;
    {
      auto recording = tape.record();
      regret = argc > 1 ? blend.regret_once(apples) : blend.regret(apples);  //~
    }
    gradients =
        tape.gradient(regret, {{"kernel", blend.kernel}, {"taste", blend.taste}, {"price", blend.price}});
    blend.kernel.assign_sub(0.1 * gradients.at("kernel"));
  }
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
