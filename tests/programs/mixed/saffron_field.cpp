// When crocuses flower, by soil and slope: each quantity is stepped by its own rule while the tape is open.
#include "report.h"

using namespace tapescope;

struct Rule {
  Variable quantity;
  double rate, longest;

  void step(const Tensor& gradient) const { quantity.assign_sub(clip_by_norm(rate * gradient, longest)); }
};

class Field {
 public:
  explicit Field(bool after) : after_(after) {}
  std::vector<Rule> rules{{Variable({0.3, 0.1}, {.name = "warmth"}), 0.1, 0.5},
                          {Variable({0.2, -0.4}, {.name = "water"}), 0.05, 0.2},
                          {Variable(1.0, {.name = "level"}), 0.2, 0.1}};

  Tensor miss(const Tensor& soil) const {
    const Tensor early = tanh(matvec(soil, rules[0].quantity)) + sin(matvec(soil, rules[1].quantity));
    return reduce_mean(square(early + rules[2].quantity - 0.8));
  }

  std::vector<Tensor> season(const Tensor& soil) {
    GradientTape tape({.persistent = true});
    std::vector<Tensor> gradients;
    tape.enter();
    const Tensor loss = miss(soil);
    if (after_) tape.exit();
    for (const Rule& rule : rules) gradients.push_back(tape.gradient(loss, rule.quantity));  //!
    if (!after_) tape.exit();  //~
    recorded += static_cast<double>(tape.counts().recorded);
    for (std::size_t i = 0; i < rules.size(); ++i) rules[i].step(gradients[i]);
    return gradients;
  }
  double recorded = 0;

 private:
  bool after_;
};

int main(int argc, char**) {
  Field field(argc > 1);
  const Tensor soil = reshape(cos(linspace(0.0, 6.0, 24)), {12, 2});
  std::vector<Tensor> gradients;
  for (int year = 0; year < 4; ++year) gradients = field.season(soil);
  report_cost("recorded", field.recorded);
  for (std::size_t i = 0; i < gradients.size(); ++i) report(field.rules[i].quantity.name(), gradients[i]);
}
