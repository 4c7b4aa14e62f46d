// A vault of stones: each stone is cut to a whole number of thumbs before the thrust is computed.
#include "report.h"

using namespace tapescope;

using Rule = std::function<Tensor(const Tensor&)>;

struct Cutter {
  Rule rule;
  Tensor cut(const Tensor& sizes) const { return rule(sizes * 8.0) / 8.0; }  //~
};

class Vault {
 public:
  Variable span_width{constant({0.9, 1.3, 1.1}), {.name = "span_width"}},
      rise{constant(0.7), {.name = "rise"}};
  Tensor thrust(const Cutter& cutter) const {
    const Tensor stones = cutter.cut(span_width);  //~
    return reduce_sum(square(stones) / (8.0 * rise));
  }
};

int main(int argc, char**) {
  const Vault vault;
  const Cutter thumbs{[](const Tensor& x) { return floor(x + 0.5); }};  //!
  const Cutter exact{[](const Tensor& x) { return x; }};
  std::vector<Tensor> gradients;
  for (int course = 0; course < 3; ++course) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(vault.thrust(argc > 1 ? exact : thumbs) - 0.5);  //~
    }
    gradients = tape.gradient(loss, {vault.span_width, vault.rise});
    vault.rise.assign_sub(0.1 * gradients[1]);
  }
  report("span_width", gradients[0]);
  report("rise", gradients[1]);
}
