// Tells whales from ships by the energy of their calls. Half precision, since the buoy has little memory.
#include "report.h"

using namespace tapescope;

class Buoy {
 public:
  explicit Buoy(DType energies) : energies_(energies) {}
  Variable filters{cast(reshape(cos(linspace(0.0, 5.0, 32)), {16, 2}), DType::f16), {.name = "filters"}};
  Variable level{cast(constant({0.1, -0.2}), DType::f16), {.name = "level"}};

  Tensor energy(const Tensor& calls) const {
    const Tensor heard = cast(matmul(calls, filters), energies_);
    return reduce_sum(square(heard), 0);  //!
  }
  Tensor loss(const Tensor& calls, const Tensor& whale) const {
    const Tensor loud = energy(calls);
    const Tensor share = cast(loud / reduce_sum(loud), DType::f16);
    return reduce_mean(sigmoid_cross_entropy_with_logits(whale, 4.0 * share + level));
  }

 private:
  DType energies_;
};

int main(int argc, char**) {
  const Buoy buoy(argc > 1 ? DType::f32 : DType::f16);  //~
  const Tensor quiet = reshape(sin(linspace(0.0, 70.0, 64 * 16)), {64, 16});
  const Tensor whale = cast(constant({1.0, 0.0}), DType::f16);
  std::vector<Tensor> gradients;
  for (const double louder : {1.0, 3.0, 14.0}) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = buoy.loss(cast(louder * quiet, DType::f16), whale);
    }
    gradients = tape.gradient(loss, {buoy.filters, buoy.level});
    if (louder > 10) break;
    buoy.level.assign_sub(cast(0.01, DType::f16) * gradients[1]);
  }
  report("filters", gradients[0]);
  report("level", gradients[1]);
}
