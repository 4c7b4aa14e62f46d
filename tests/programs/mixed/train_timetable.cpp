// Predicts delays of trains, hour by hour; each hour has another number of trains.
#include "report.h"

using namespace tapescope;

class Delays {
 public:
  Variable weights{constant({0.2, -0.1, 0.4}), {.name = "weights"}};

  Tensor loss(const Tensor& rows, const Tensor& late) const {
    return reduce_mean(square(matvec(rows, weights) - late));
  }
};

int main(int argc, char**) {
  const bool even = argc > 1;
  const Delays delays;
  const Tensor table = reshape(sin(linspace(0.0, 12.0, 63)), {21, 3}), late = cos(linspace(0.0, 4.0, 21));
  const Function<Tensor(const Tensor&, const Tensor&)> step("step",
                                                            [&](const Tensor& rows, const Tensor& late_by) {
                                                              GradientTape tape;
                                                              Tensor loss;
                                                              {
                                                                auto recording = tape.record();
                                                                loss = delays.loss(rows, late_by);
                                                              }
                                                              const Tensor gradient =
                                                                  tape.gradient(loss, delays.weights);
                                                              delays.weights.assign_sub(0.05 * gradient);
                                                              return gradient;
                                                            },
                                                            {.arguments = {"rows", "late"}});
  Tensor gradient;
  for (int epoch = 0; epoch < 2; ++epoch) {
    int first = 0;
    for (const int trains : {6, 4, 7, 3}) {
      const int count = even ? 5 : trains;
      gradient = step(slice(table, {first, 0}, {count, 3}), slice(late, {first}, {count}));  //!
      first += count;
    }
  }
  report("weights", gradient);
  report_traces(step);
}
