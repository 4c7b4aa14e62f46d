// Linear model of bicycle counts; the last steps go on from an export of the weights.
#include <map>

#include "report.h"

using namespace tapescope;

using Weights = std::map<std::string, Tensor>;

class Counter {
 public:
  Tensor loss(const Weights& weights) const {
    return reduce_mean(square(matvec(weather_, weights.at("weather")) + weights.at("base") - count_));
  }
  Weights weights() const { return {{"weather", weather_weights.value()}, {"base", base.value()}}; }  //!

  Variable weather_weights{constant({0.5, -0.2}), {.name = "weather"}};
  Variable base{constant(0.1), {.name = "base"}};

 private:
  Tensor weather_ = constant({{1.0, 0.1}, {0.4, 0.9}, {0.8, 0.5}}), count_ = constant({1.4, 0.3, 0.9});
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Counter counter;
  SGD optimizer(0.1);
  Weights exported;
  std::vector<Tensor> gradients;
  for (int step = 0; step < 12; ++step) {
    GradientTape tape;
    Tensor loss;
    if (step == 8) exported = counter.weights();  //~
    {
      auto recording = tape.record();
      loss = counter.loss(step < 9 || fixed ? counter.weights() : exported);  //~
    }
    gradients = tape.gradient(loss, {counter.weather_weights, counter.base});
    if (!gradients[0]) break;
    optimizer.apply_gradients(gradients, {counter.weather_weights, counter.base});
  }
  report("weather", gradients[0]);
  report("base", gradients[1]);
}
