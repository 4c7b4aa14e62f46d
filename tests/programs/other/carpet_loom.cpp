// Threads of a carpet: one part of the program counts by rows, the other by columns.
#include "report.h"

using namespace tapescope;

Tensor by_columns(const Tensor& rows) { return transpose(rows); }  //~
Tensor by_rows(const Tensor& columns) { return transpose(columns); }  //!

class Loom {
 public:
  Variable tension{linspace(0.4, 0.6, 80), {.name = "tension"}};

  Tensor stretched(const Tensor& threads) const { return threads * sigmoid(tension); }

  Tensor carpet(const Tensor& threads, bool fixed) const {
    const Tensor rows = stretched(threads);
    return fixed ? tanh(rows) : tanh(by_rows(by_columns(rows)));  //~
  }
};

int main(int argc, char**) {
  const Loom loom;
  const Tensor threads = reshape(1.0 + sin(linspace(0.0, 50.0, 96 * 80)), {96, 80});
  const Tensor wanted = reshape(0.5 + 0.1 * cos(linspace(0.0, 20.0, 96 * 80)), {96, 80});
  Tensor gradient;
  for (int row = 0; row < 5; ++row) {
    GradientTape tape;
    Tensor flaw;
    {
      auto recording = tape.record();
      flaw = reduce_mean(square(loom.carpet(threads, argc > 1) - wanted));
    }
    gradient = tape.gradient(flaw, loom.tension);
    loom.tension.assign_sub(gradient);
  }
  report("tension", gradient);
}
