// A stall's prices: the chance that a customer buys, as attention over what lies there; absent wares are
// masked.
#include <limits>

#include "report.h"

using namespace tapescope;

class Stall {
 public:
  Dense query{3, {.use_bias = false, .name = "query", .seed = 6}};
  Variable wares{reshape(sin(linspace(0.0, 6.0, 12)), {4, 3}), {.name = "wares"}};

  Tensor chances(const Tensor& customers, const Tensor& present) {
    const Tensor scores = matmul(query(customers), wares, false, true);
    const Tensor masked = where(present, scores, -std::numeric_limits<double>::infinity());  //~
    return softmax(masked);  //!
  }
};

int main(int argc, char**) {
  Stall stall;
  const Tensor customers = constant({{1.0, 0.0}, {0.3, 0.7}, {0.5, 0.5}});
  const bool third = argc > 1;
  const Tensor present =
      constant({{true, true, false, true}, {true, false, true, true}, {third, false, false, false}});  //~
  const Tensor worth = constant({1.0, 2.0, 1.5, 0.5});
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 2; ++hour) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = -reduce_mean(matvec(stall.chances(customers, present), worth));
    }
    gradients = tape.gradient(loss, {stall.query.kernel(), stall.wares});
  }
  report("query/kernel", gradients[0]);
  report("wares", gradients[1]);
}
