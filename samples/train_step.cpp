// A whole training step, eager and as one traced function.
#include "engine/graph/function.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kBatch{"batch", "64", "images in a batch"};
const SampleParameter kUnits{"units", "128", "width of the hidden layer"};
const SampleParameter kBatches{"batches", "8", "different batches, gone through in turn"};

struct TrainStep : Sample {
  bool traced;
  std::int64_t batch, batches;
  std::uint64_t seed;
  // Define the model
  Sequential model;
  // Define the loss function
  CategoricalCrossentropy loss_fn;
  // Define the optimizer
  Adam optimizer;
  std::vector<Variable> variables;
  std::vector<Traced> sources;
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> train_step_function;

  explicit TrainStep(const SampleOptions& options)
      : traced(options.variant != "unoptimized"),
        batch(options.count(kBatch)),
        batches(options.count(kBatches)),
        seed(options.seed),
        model(Dense(options.count(kUnits), {.activation = Activation::relu, .seed = options.seed}),
              Dense(10, {.activation = Activation::softmax, .seed = options.seed})),
        train_step_function(
            "train_step",
            [this](const Tensor& images, const Tensor& labels) { return train_step(images, labels); },
            {.arguments = {"images", "labels"}, .optimize = {.compiled = options.variant == "compiled"}}) {
    model.build({batch, 784});
    variables = model.trainable_variables();
    sources.assign(variables.begin(), variables.end());
    optimizer.build(variables);
  }

  // The loss, then the gradient of each variable.
  std::vector<Tensor> train_step(const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor predictions = model(images);
      loss = loss_fn(labels, predictions);
    }
    std::vector<Tensor> results = tape.gradient(loss, sources);
    optimizer.apply_gradients(results, variables);
    results.insert(results.begin(), loss);
    return results;
  }

  void step(StepContext& context) override {
    const std::uint64_t index = context.step % static_cast<std::uint64_t>(batches);
    const RandomKey key = key_of(seed, "images");
    Tensor images = stateless_random_uniform({batch, 784}, {key.seed, key.counter + index}).named("images");
    // Which of ten stripes of the image is the brightest.
    Tensor stripes = reduce_sum(reshape(slice(images, {0, 0}, {batch, 780}), {batch, 10, 78}), 2);
    Tensor labels = one_hot(argmax(stripes, 1), 10).named("labels");
    const auto results = traced ? train_step_function(images, labels) : train_step(images, labels);
    context.loss(results[0]);
    context.report_gradients(sources, std::span(results).subspan(1));
  }

  std::int64_t default_steps() const override { return 200; }
};

}  // namespace

SampleInfo train_step_sample() {
  return {
      .name = "train-step",
      .order = 60,
      .promise =
          "Forward, gradient and update traced as one function: no tape at run time, and one call a step.",
      .document = "1, examples 1 and 2",
      .variants = {"unoptimized", "optimized", "compiled"},
      .parameters = {kBatch, kUnits, kBatches},
      .file = "train_step.cpp",
      .lesson =
          "The tape works while the step is traced: its backward ops become nodes like the others, and the "
          "graph "
          "is pruned, folded and planned as a whole. The lesson says that tracing unrolls loops: it is the "
          "program's own loop that is unrolled, and no pass of the optimizer does that.",
      .make = make_sample<TrainStep>,
  };
}

}  // namespace tapescope
