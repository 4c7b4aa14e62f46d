// Quotes prices in ticks of a cent. How far from the middle a trader quotes depends on what he holds.
#include "report.h"

using namespace tapescope;

struct Market {
  Tensor middle = 10.0 + 0.3 * sin(linspace(0.0, 9.0, 12));
  Tensor side = cast(constant({1, -1, 1, 1, -1, 1, -1, -1, 1, -1, 1, -1}), DType::f32);
};

class Trader {
 public:
  Variable width{0.06, {.name = "width"}};
  Variable lean{0.02, {.name = "lean"}};
  Variable appetite{0.5, {.name = "appetite"}};

  Tensor quotes(const Market& market, const Tensor& held, bool in_ticks) const {
    const Tensor price = market.middle + market.side * width - lean * held;
    return in_ticks ? ticks(price) : price;  //~
  }
  Tensor gain(const Market& market, const Tensor& held, bool in_ticks) const {
    const Tensor apart = abs(quotes(market, held, in_ticks) - market.middle);
    const Tensor filled = exp(-apart / appetite);
    return reduce_mean(filled * apart);
  }

 private:
  static Tensor ticks(const Tensor& price) {
    const Tensor cents = cast(100.0 * price + 0.5, DType::i32);  //!
    return cast(cents, DType::f32) / 100.0;  //~
  }
};

int main(int argc, char**) {
  const Market market;
  const Trader trader;
  const Tensor held = cumsum(market.side);
  std::vector<Tensor> gradients;
  for (int minute = 0; minute < 3; ++minute) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = -trader.gain(market, held, argc == 1);
    }
    gradients = tape.gradient(loss, std::vector{trader.width, trader.lean, trader.appetite});
    trader.appetite.assign_sub(0.1 * gradients[2]);
  }
  report("width", gradients[0]);
  report("lean", gradients[1]);
  report("appetite", gradients[2]);
}
