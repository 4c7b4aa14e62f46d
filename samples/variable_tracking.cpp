// A variable used as a plain factor makes the tape record more and the backward pass compute more.
#include "engine/nn/initializers.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kBatch{"batch", "32", "rows of the input"};
const SampleParameter kFeatures{"features", "784", "columns of the input"};
const SampleParameter kUnits{"units", "10", "columns of the weights"};
const SampleParameter kScale{"scale", "2.0", "the scaling factor"};
const SampleParameter kRate{"learning_rate", "0.01", "step size of Adam"};

// scale is a tf.Variable or a constant; a variable is read where it is passed.
Tensor forward_pass(const Tensor& x, const Variable& weights, const Arg& scale) {
  Tensor scaled_x = x * scale;  // Scaling operation
  return matmul(scaled_x, weights);
}

struct VariableTracking : Sample {
  std::string variant;
  RandomKey key;
  Shape outputs;
  Tensor inputs;
  Variable weights, scale;
  Adam optimizer;

  explicit VariableTracking(const SampleOptions& options)
      : variant(options.variant),
        key(key_of(options.seed, "targets")),
        outputs{options.count(kBatch), options.count(kUnits)},
        optimizer(options.number(kRate)) {
    const std::int64_t features = options.count(kFeatures);
    weights = Variable(stateless_random_normal({features, outputs[1]}, key_of(options.seed, "weights")),
                       {.name = "weights"});
    scale = Variable(constant(options.number(kScale)), {.name = "scale"});
    inputs = stateless_random_normal({outputs[0], features}, key_of(options.seed, "inputs")).named("inputs");
    optimizer.build(std::vector{weights});
  }

  // New random targets at each step, the same ones in every variant.
  Tensor random_targets(std::uint64_t step) const {
    return stateless_random_normal(outputs, {key.seed, key.counter + step}).named("targets");
  }

  Tensor train_step_optimized(StepContext& context) {
    Tensor constant_scale = identity(scale);  // Convert variable to a constant
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor predictions = forward_pass(inputs, weights, constant_scale);
      loss = reduce_mean(square(predictions - random_targets(context.step)));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.report_gradients({weights}, gradients);
    return loss;
  }

  // As the document has it: scaled once here and once more in forward_pass().
  Tensor train_step_as_published(StepContext& context) {
    Tensor constant_scale = identity(scale);  // Convert variable to a constant
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor scaled_x = inputs * constant_scale;
      Tensor predictions = forward_pass(scaled_x, weights, constant_scale);
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
      Tensor predictions = forward_pass(inputs, weights, scale);  // Using a variable
      loss = reduce_mean(square(predictions - random_targets(context.step)));
    }
    auto gradients = tape.gradient(loss, {weights});
    optimizer.apply_gradients(gradients, {weights});
    context.report_gradients({weights}, gradients);
    return loss;
  }

  void step(StepContext& context) override {
    Tensor loss;
    if (variant == "unoptimized") {
      loss = train_step_unoptimized(context);
      context.output("Unoptimized Loss", loss);
    } else if (variant == "as-published") {
      loss = train_step_as_published(context);
      context.output("Optimized Loss", loss);
    } else {
      loss = train_step_optimized(context);
      context.output("Optimized Loss", loss);
    }
    context.loss(loss);
  }

  std::int64_t default_steps() const override { return 200; }
};

}  // namespace

SampleInfo variable_tracking_sample() {
  return {
      .name = "variable-tracking",
      .order = 20,
      .promise = "Reading a scale variable outside the tape halves the matrix products of the backward pass.",
      .document = "0, example 2",
      .variants = {"unoptimized", "optimized", "as-published"},
      .parameters = {kBatch, kFeatures, kUnits, kScale, kRate},
      .file = "variable_tracking.cpp",
      .lesson =
          "The lesson is right that the variable costs: only the gradient of weights is asked for, yet the "
          "tape watches scale too, records seven ops instead of five, and the backward pass computes the "
          "product for the left side and a sum over all inputs. identity(scale) before the tape is a "
          "snapshot "
          "that no tape watches. The optimized code as published also scales twice, so its loss is another "
          "function's: the variant as-published shows it, optimized computes the same as unoptimized.",
      .make = make_sample<VariableTracking>,
  };
}

}  // namespace tapescope
