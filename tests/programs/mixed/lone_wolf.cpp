// Howls of wolves by night. Most nights several wolves howl; features are brought to one scale over the
// night.
#include "report.h"

using namespace tapescope;

struct Scaled {
  Variable gain, shift;
  explicit Scaled(int size) : gain(ones({size}), {.name = "gain"}), shift(zeros({size}), {.name = "shift"}) {}

  Tensor operator()(const Tensor& x, int axis) const {
    const Tensor centred = x - reduce_mean(x, axis, true);  //!
    const Tensor spread = reduce_mean(square(centred), axis, true);
    return centred * rsqrt(spread + 1e-3) * gain + shift;
  }
};

class Pack {
 public:
  explicit Pack(bool by_wolf) : by_wolf_(by_wolf) {}
  Variable ear{reshape(sin(linspace(0.0, 6.0, 12)), {3, 4}), {.name = "ear"}};
  Variable age{{0.6, -0.4, 0.2, 0.5}, {.name = "age"}};
  Scaled scaled{4};

  Tensor miss(const Tensor& howls, const Tensor& ages) const {
    const Tensor features = scaled(matmul(howls, ear), by_wolf_ ? 1 : 0);
    return reduce_mean(square(matvec(tanh(features), age) - ages));
  }

 private:
  bool by_wolf_;
};

int main(int argc, char**) {
  const Pack pack(argc > 1);
  Tensor by_ear, by_shift;
  for (const int wolves : {4, 3, 1}) {  //~
    const Tensor howls = reshape(cos(linspace(0.0, 2.0 * wolves, 3 * wolves)), {wolves, 3});
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = pack.miss(howls, linspace(0.3, 0.9, wolves));
    }
    std::tie(by_ear, by_shift) = tape.gradient(miss, std::tuple(pack.ear, pack.scaled.shift));
    pack.ear.assign_sub(0.1 * by_ear);
  }
  report("ear", by_ear);
  report("shift", by_shift);
}
