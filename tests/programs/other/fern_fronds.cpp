// Which species a fern is of, by measures of single fronds.
#include "report.h"

using namespace tapescope;

struct Frond {
  Tensor measures;  // length, width, pairs, angle
  double species;
};

std::vector<Frond> herbarium(int count) {
  std::vector<Frond> fronds;
  for (int i = 0; i < count; ++i) {
    const double a = 0.1 * i;
    fronds.push_back({constant({std::sin(a), std::cos(2 * a), 0.3 * std::sin(3 * a), std::cos(a) * 0.5}),
                      i % 3 == 0 ? 1.0 : 0.0});
  }
  return fronds;
}

class Key {
 public:
  Variable weights{constant({0.2, -0.1, 0.3, 0.05}), {.name = "weights"}};
  Variable bias{constant(0.1), {.name = "bias"}};

  Tensor surprise(const Frond& frond) const {
    const Tensor logit = reduce_sum(weights * frond.measures) + bias;  //~
    return sigmoid_cross_entropy_with_logits(constant(frond.species), logit);  //~
  }
  Tensor surprise(const Tensor& all, const Tensor& species) const {
    return reduce_mean(sigmoid_cross_entropy_with_logits(species, matvec(all, weights) + bias));
  }
};

Tensor average(const Key& key, const std::vector<Frond>& fronds) {
  Tensor sum = constant(0.0);
  for (std::size_t i = 0; i < fronds.size(); ++i) {  //~
    sum = sum + key.surprise(fronds[i]);  //!
  }
  return sum / static_cast<double>(fronds.size());
}

int main(int argc, char**) {
  const Key key;
  const std::vector<Frond> fronds = herbarium(60);
  std::vector<Tensor> rows;
  std::vector<double> species;
  for (const Frond& frond : fronds) rows.push_back(frond.measures), species.push_back(frond.species);
  const Tensor all = stack(rows), known = constant(species);
  std::vector<Tensor> gradients;
  for (int pass = 0; pass < 4; ++pass) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = argc > 1 ? key.surprise(all, known) : average(key, fronds);  //~
    }
    gradients = tape.gradient(loss, {key.weights, key.bias});
    key.weights.assign_sub(0.3 * gradients[0]);
    key.bias.assign_sub(0.3 * gradients[1]);
  }
  report("weights", gradients[0]);
  report("bias", gradients[1]);
}
