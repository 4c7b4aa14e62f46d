// Repeated products and needless reshapes: written away by hand, or found by the graph's optimizer.
#include "engine/graph/function.h"
#include "engine/nn/initializers.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kBatch{"batch", "64", "rows of the input"};
const SampleParameter kFeatures{"features", "256", "columns of the input"};

// The same product twice, and reshapes that lead back to where they began.
Tensor loss_unoptimized(const Tensor& x, const Variable& weights, const Tensor& targets) {
  const Tensor w = weights.value();
  Tensor gate = sigmoid(matmul(x, w));
  Tensor value = tanh(matmul(x, w));
  const Shape shape = value.shape();
  value = reshape(reshape(value, {shape[0] * shape[1]}), shape);
  return reduce_mean(square(gate * value - targets));
}

Tensor loss_optimized(const Tensor& x, const Variable& weights, const Tensor& targets) {
  const Tensor product = matmul(x, weights);
  return reduce_mean(square(sigmoid(product) * tanh(product) - targets));
}

struct RedundantOps : Sample {
  using Loss = Tensor(const Tensor&, const Variable&, const Tensor&);
  std::string variant;
  Tensor inputs, targets;
  Variable weights;
  SGD optimizer{0.1};
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> traced;

  explicit RedundantOps(const SampleOptions& options)
      : variant(options.variant),
        traced("train_step",
               [this](const Tensor& x, const Tensor& t) { return train_step(loss_unoptimized, x, t); },
               {.arguments = {"inputs", "targets"}}) {
    const std::int64_t batch = options.count(kBatch), features = options.count(kFeatures);
    inputs = stateless_random_normal({batch, features}, key_of(options.seed, "inputs")).named("inputs");
    targets = stateless_random_uniform({batch, features}, key_of(options.seed, "targets"), -0.5, 0.5)
                  .named("targets");
    weights =
        Variable(stateless_random_normal({features, features}, key_of(options.seed, "weights"), 0, 0.05),
                 {.name = "weights"});
    optimizer.build(std::vector{weights});
  }

  std::vector<Tensor> train_step(Loss* loss_fn, const Tensor& x, const Tensor& t) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_fn(x, weights, t);
    }
    Tensor gradient = tape.gradient(loss, weights);
    optimizer.apply_gradients(std::vector{gradient}, {weights});
    return {loss, gradient};
  }

  void step(StepContext& context) override {
    const auto results =
        variant == "function"
            ? traced(inputs, targets)
            : train_step(variant == "optimized" ? loss_optimized : loss_unoptimized, inputs, targets);
    context.loss(results[0]);
    context.report_gradients({weights}, std::span(results).subspan(1));
  }

  std::int64_t default_steps() const override { return 100; }
};

}  // namespace

SampleInfo redundant_ops_sample() {
  return {
      .name = "redundant-ops",
      .order = 80,
      .promise =
          "A product computed twice costs twice, forward and backward; writing it once or tracing it removes "
          "it.",
      .document = "1, redundant operations",
      .variants = {"unoptimized", "optimized", "function"},
      .parameters = {kBatch, kFeatures},
      .file = "redundant_ops.cpp",
      .lesson =
          "Eager code runs what is written: the second product and both reshapes are on the tape, and "
          "backward has "
          "two products where one would do. A traced function finds the equal product by itself, as Grappler "
          "does.",
      .make = make_sample<RedundantOps>,
  };
}

}  // namespace tapescope
