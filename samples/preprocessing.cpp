// Preprocessing inside the tape or before it: what that costs, and what it does not.
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

Tensor preprocess(Tensor x) {
  x = x / 255.0;               // Normalization
  x = clip_by_value(x, 0, 1);  // Clip values
  return x;
}

Tensor forward_pass(Tensor x, const Variable& weights) {
  x = matmul(x, weights);
  return relu(x);
}

struct Preprocessing : Sample {
  std::string variant;
  RandomKey key;
  Shape outputs;
  Tensor inputs;
  Variable weights;
  Adam optimizer;

  explicit Preprocessing(const SampleOptions& options)
      : variant(options.variant),
        key(key_of(options.seed, "targets")),
        outputs{options.count(kBatch), options.count(kUnits)},
        optimizer(options.number(kRate)) {
    const std::int64_t features = options.count(kFeatures);
    weights = Variable(stateless_random_normal({features, outputs[1]}, key_of(options.seed, "weights")),
                       {.name = "weights"});
    inputs = stateless_random_normal({outputs[0], features}, key_of(options.seed, "inputs")).named("inputs");
    optimizer.build(std::vector{weights});
  }

  // New random targets at each step, the same ones in every variant.
  Tensor random_targets(std::uint64_t step) const {
    return stateless_random_normal(outputs, {key.seed, key.counter + step}).named("targets");
  }

  Tensor train_step_optimized(StepContext& context) {
    Tensor preprocessed_inputs = preprocess(inputs);  // Preprocessing outside tape

    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor predictions = forward_pass(preprocessed_inputs, weights);
      loss = reduce_mean(square(predictions - random_targets(context.step)));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.report_gradients({weights}, gradients);
    return loss;
  }

  Tensor train_step_unoptimized(StepContext& context) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor preprocessed_inputs = preprocess(inputs);
      Tensor predictions = forward_pass(preprocessed_inputs, weights);
      loss = reduce_mean(square(predictions - random_targets(context.step)));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.report_gradients({weights}, gradients);
    return loss;
  }

  // Where preprocessing does cost: watched inputs make the tape record it and walk it backwards.
  Tensor train_step_watched(StepContext& context) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(inputs);
      Tensor preprocessed_inputs = preprocess(inputs);
      Tensor predictions = forward_pass(preprocessed_inputs, weights);
      loss = reduce_mean(square(predictions - random_targets(context.step)));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.report_gradients({weights}, gradients);
    return loss;
  }

  void step(StepContext& context) override {
    Tensor loss;
    if (variant == "optimized") {
      loss = train_step_optimized(context);
      context.output("Optimized Loss", loss);
    } else if (variant == "watched-inputs") {
      loss = train_step_watched(context);
      context.output("Watched Loss", loss);
    } else {
      loss = train_step_unoptimized(context);
      context.output("Unoptimized Loss", loss);
    }
    context.loss(loss);
  }

  std::int64_t default_steps() const override { return 200; }
};

}  // namespace

SampleInfo preprocessing_sample() {
  return {
      .name = "preprocessing",
      .order = 10,
      .promise = "Preprocessing inside the tape is not recorded at all, unless its inputs are watched.",
      .document = "0, example 1",
      .variants = {"unoptimized", "optimized", "watched-inputs"},
      .parameters = {kBatch, kFeatures, kUnits, kRate},
      .file = "preprocessing.cpp",
      .lesson =
          "The lesson calls division and clipping non-differentiable and promises a much cheaper backward "
          "pass without them. Both have gradients, and both variants record the same six ops: the inputs are "
          "plain tensors that no tape watches, so what is made of them is skipped. Moving preprocessing out "
          "saves its forward time only where it can be done once for many steps. The third variant watches "
          "the "
          "inputs: then RealDiv, Minimum and Maximum are recorded and walked backwards, and the product "
          "computes a gradient for its left side.",
      .make = make_sample<Preprocessing>,
  };
}

}  // namespace tapescope
