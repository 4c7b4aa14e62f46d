// Where seals haul out, by tide and wind. The layer keeps its kernel normalized by columns and renews that
// copy every few days only, to save time.
#include "report.h"

using namespace tapescope;

class Haul {
 public:
  explicit Haul(int every) : every_(every) {}
  Variable kernel{reshape(sin(linspace(0.5, 4.0, 8)), {4, 2}), {.name = "kernel"}};
  Variable bias{{0.0, 0.1}, {.name = "bias"}};

  Tensor operator()(const Tensor& weather, int day) {
    if (day % every_ == 0) normal_ = l2_normalize(kernel, {0});  //!
    return matmul(weather, normal_) + bias;  //~
  }

 private:
  int every_;
  Tensor normal_;
};

Tensor weather_of(int day) { return reshape(cos(linspace(0.1 * day, 6.0, 12)), {3, 4}); }

int main(int argc, char**) {
  Haul haul(argc > 1 ? 1 : 5);  //~
  const Tensor seals = constant({{0.3, 0.2}, {0.1, 0.6}, {0.5, 0.4}});
  SGD optimizer(0.2, {{.clipvalue = 1.0}, 0.5});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = MeanSquaredError()(seals, sigmoid(haul(weather_of(day), day)));
    }
    gradients = tape.gradient(loss, {haul.kernel, haul.bias});
    optimizer.apply_gradients(gradients, {haul.kernel, haul.bias});  //~
  }
  report("kernel", gradients[0]);
  report("bias", gradients[1]);
}
