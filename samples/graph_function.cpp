// The forward pass as a traced function under a tape: one record where eager code leaves several.
#include "engine/graph/function.h"
#include "engine/nn/initializers.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kBatch{"batch", "32", "rows of the input"};
const SampleParameter kFeatures{"features", "784", "columns of the input"};
const SampleParameter kUnits{"units", "10", "columns of the weights"};
const SampleParameter kRate{"learning_rate", "0.01", "step size of Adam"};

// Both forward passes are the same program.
Tensor forward_pass_unoptimized(const Tensor& x, const Variable& weights) { return matmul(x, weights); }

struct GraphFunctionSample : Sample {
  bool optimized;
  RandomKey key;
  Shape outputs;
  Tensor inputs;
  Variable weights;
  Adam optimizer;
  Function<Tensor(const Tensor&, const Variable&)> forward_pass_optimized;

  explicit GraphFunctionSample(const SampleOptions& options)
      : optimized(options.variant == "optimized"),
        key(key_of(options.seed, "targets")),
        outputs{options.count(kBatch), options.count(kUnits)},
        optimizer(options.number(kRate)),
        forward_pass_optimized("forward_pass", forward_pass_unoptimized, {.arguments = {"x", "weights"}}) {
    const std::int64_t features = options.count(kFeatures);
    weights = Variable(stateless_random_normal({features, outputs[1]}, key_of(options.seed, "weights")),
                       {.name = "weights"});
    inputs = stateless_random_normal({outputs[0], features}, key_of(options.seed, "inputs")).named("inputs");
    optimizer.build(std::vector{weights});
  }

  void step(StepContext& context) override {
    // New random targets at each step, the same ones in both variants.
    const Tensor targets =
        stateless_random_normal(outputs, {key.seed, key.counter + context.step}).named("targets");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor predictions =
          optimized ? forward_pass_optimized(inputs, weights) : forward_pass_unoptimized(inputs, weights);
      loss = reduce_mean(square(predictions - targets));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.loss(loss);
    context.report_gradients({weights}, gradients);
    if (context.step == 0) context.output(optimized ? "Optimized Loss" : "Unoptimized Loss", loss);
  }

  std::int64_t default_steps() const override { return 50; }
};

}  // namespace

SampleInfo graph_function_sample() {
  return {
      .name = "graph-function",
      .order = 30,
      .promise = "A traced forward pass is one record on the tape, and its gradient is a graph too.",
      .document = "0, example 3",
      .variants = {"unoptimized", "optimized"},
      .parameters = {kBatch, kFeatures, kUnits, kRate},
      .file = "graph_function.cpp",
      .lesson =
          "The lesson wraps one matrix product and promises a faster step. A function of one op saves "
          "nothing: "
          "the product takes the time, and the loss, its gradient and the update stay eager. What the tape "
          "sees "
          "does change: read and product are one entry, PartitionedCall, which keeps what its gradient "
          "needs.",
      .make = make_sample<GraphFunctionSample>,
  };
}

}  // namespace tapescope
