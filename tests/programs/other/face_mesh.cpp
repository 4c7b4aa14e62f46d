// Trains a small network with dropout; one function serves training and checking by a flag.
#include "report.h"

using namespace tapescope;

struct MeshModel {
  Variable first{stateless_random_normal({8, 16}, {32, 1}, 0, 0.3), {.name = "first"}};
  Variable second{stateless_random_normal({16, 3}, {32, 2}, 0, 0.3), {.name = "second"}};

  Tensor operator()(const Tensor& points, bool training) const {
    Tensor hidden = tanh(matmul(points, first));
    if (training) hidden = dropout(hidden, 0.25, RandomKey{32, 5});
    return matmul(hidden, second);
  }
};

int main() {
  const MeshModel model;
  const Tensor points = stateless_random_normal({12, 8}, {32, 3}).named("points"),
               mesh = stateless_random_normal({12, 3}, {32, 4});
  const Function predict("predict",
                         [&](const Tensor& points, bool training) { return model(points, training); },
                         {.arguments = {"points", "training"}});
  std::vector<Tensor> gradients;
  double check = 0;
  for (int epoch = 0; epoch < 6; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(predict(points, true) - mesh));
    }
    gradients = tape.gradient(loss, {model.first, model.second});
    model.first.assign_sub(0.1 * gradients[0]);
    model.second.assign_sub(0.1 * gradients[1]);
    check = element(reduce_mean(square(predict(points, false) - mesh)), 0);
  }
  std::printf("check %.3f\n", check);
  report("first", gradients[0]);
  report("second", gradients[1]);
  report_traces(predict);
}
