// Thickness of tin foil from a roller's readings in half precision, as the controller sends them.
#include "report.h"

using namespace tapescope;

class Roller {
 public:
  explicit Roller(bool wide) : wide_(wide) {}
  Variable pressure{constant(2.0), {.name = "pressure"}};
  Variable offset{constant(1.0), {.name = "offset"}};

  Tensor energy(const Tensor& sent) const {
    const DType kept = wide_ ? DType::f32 : DType::f16;
    const Tensor force = cast(pressure, kept) * cast(sent, kept) + cast(offset, kept);  //~
    const Tensor squares = square(force);  //!
    return cast(reduce_mean(squares), DType::f32) / 1000.0;
  }

 private:
  bool wide_;
};

struct Strip {
  double strongest;
  Tensor sent() const { return cast(linspace(10.0, strongest, 6), DType::f16); }
};

int main(int argc, char**) {
  const Roller roller(argc > 1);
  std::vector<Tensor> gradients;
  for (const Strip& strip : {Strip{40.0}, Strip{70.0}, Strip{160.0}}) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(roller.energy(strip.sent()) - 3.0);  //~
    }
    gradients = tape.gradient(loss, {roller.pressure, roller.offset});
    roller.offset.assign_sub(1e-3 * gradients[1]);
  }
  report("pressure", gradients[0]);
  report("offset", gradients[1]);
}
