// Optimizers inside traced functions: the same bits as outside.
#include <functional>
#include <memory>
#include <vector>

#include "engine/graph/function.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Make = std::function<std::unique_ptr<Optimizer>()>;

// Every variable, of the program and the optimizer, after three steps.
std::vector<std::vector<double>> trained(const Make& make, bool traced) {
  const auto optimizer = make();
  const Variable w(stateless_random_normal({4, 3}, {1, 1}), {.name = "w"}), b(zeros({3}), {.name = "b"});
  const Tensor x = stateless_random_normal({5, 4}, {1, 2});
  const auto step = [&](const Tensor& input) {
    GradientTape tape;
    tape.enter();
    const Tensor loss = reduce_sum(square(tanh(matmul(input, w) + b) - 0.5));
    tape.exit();
    optimizer->apply_gradients(tape.gradient(loss, {w, b}), {w, b});
    return loss;
  };
  Function f("train_step", step, {.optimize = {.reassociating = false}});
  std::vector<std::vector<double>> values;
  for (int i = 0; i < 3; ++i) values.push_back(host_values(traced ? f(x) : step(x)));
  for (const Variable& variable : {w, b}) values.push_back(elements(variable.peek()));
  for (const Variable& variable : optimizer->variables()) values.push_back(elements(variable.peek()));
  return values;
}

}  // namespace

TEST_CASE("a traced update is the eager one, bit for bit") {
  const std::vector<Make> makes = {
      [] { return std::make_unique<SGD>(0.1); },
      [] { return std::make_unique<SGD>(0.1, SgdOptions{.momentum = 0.9, .nesterov = true}); },
      [] { return std::make_unique<Adam>(0.01); },
      [] { return std::make_unique<AdamW>(0.01); },
      [] {
        AdamOptions options;
        options.amsgrad = true;
        options.global_clipnorm = 1.0;
        return std::make_unique<Adam>(0.01, options);
      },
      [] {
        RmsPropOptions options;
        options.momentum = 0.5;
        options.centered = true;
        return std::make_unique<RMSprop>(0.01, options);
      },
      [] { return std::make_unique<Adagrad>(0.1); },
  };
  for (std::size_t i = 0; i < makes.size(); ++i) {
    INFO("optimizer " << i);
    CHECK(trained(makes[i], true) == trained(makes[i], false));
  }
}
