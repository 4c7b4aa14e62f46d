// A training loop written by hand: fits w and b to noisy points on a line.
#include <bit>

#include <fmt/format.h>

#include "engine/data/dataset.h"
#include "engine/graph/function.h"
#include "engine/nn/initializers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kPoints{"points", "1000", "number of data points"};
const SampleParameter kBatch{"batch", "32", "points in a batch"};
const SampleParameter kRate{"learning_rate", "0.1", "step size"};
const SampleParameter kEpochs{"epochs", "100", "how often the data is gone through"};

// True parameters
constexpr double true_w = 2.0;
constexpr double true_b = 1.0;

// Mean squared error loss function
Tensor loss_fn(const Tensor& y_pred, const Tensor& y_true) { return reduce_mean(square(y_pred - y_true)); }

// Synthetic data with some noise
Dataset make_dataset(const SampleOptions& options) {
  const std::int64_t points = options.count(kPoints);
  Tensor x_data = stateless_random_normal({points}, key_of(options.seed, "x_data"));
  Tensor noise = stateless_random_normal({points}, key_of(options.seed, "noise"));
  Tensor y_data = true_w * x_data + true_b + 0.1 * noise;
  return Dataset::from_tensor_slices({x_data.named("x_batch"), y_data.named("y_batch")})
      .batch(options.count(kBatch))
      .repeat();
}

struct LinearRegression : Sample {
  bool optimized;
  Variable w, b;
  double learning_rate, points_in_batches;
  std::int64_t epochs, batches_in_epoch;
  DatasetIterator dataset;
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> train_step_function;
  double epoch_loss = 0;

  explicit LinearRegression(const SampleOptions& options)
      : optimized(options.variant == "optimized"),
        w(constant(0.0), {.name = "w"}),
        b(constant(0.0), {.name = "b"}),
        learning_rate(options.number(kRate)),
        points_in_batches(options.number(kPoints) / options.number(kBatch)),
        epochs(options.count(kEpochs)),
        batches_in_epoch(static_cast<std::int64_t>(std::ceil(points_in_batches))),
        dataset(make_dataset(options)),
        train_step_function("train_step",
                            [this](const Tensor& x, const Tensor& y) { return train_step(x, y); },
                            {.arguments = {"x_batch", "y_batch"}}) {}

  // Training step: the loss, then the gradients of w and b
  std::vector<Tensor> train_step(const Tensor& x_batch, const Tensor& y_batch) {
    GradientTape tape;
    Tensor batch_loss;
    {
      auto recording = tape.record();
      // Forward pass
      Tensor y_pred = w * x_batch + b;
      // Compute loss
      batch_loss = loss_fn(y_pred, y_batch);
    }
    // Get gradients
    auto gradients = tape.gradient(batch_loss, {w, b});

    // Update parameters using gradient descent
    w.assign_sub(learning_rate * gradients[0]);
    b.assign_sub(learning_rate * gradients[1]);

    return {batch_loss, gradients[0], gradients[1]};
  }

  void step(StepContext& context) override {
    DatasetElement batch;
    dataset.next(batch);
    const auto results = optimized ? train_step_function(batch[0], batch[1]) : train_step(batch[0], batch[1]);
    context.loss(results[0]);
    context.report_gradients({w, b}, std::span(results).subspan(1));
    epoch_loss += *context.loss_value;
    const auto done = static_cast<std::int64_t>(context.step) + 1;
    if (done % batches_in_epoch == 0) end_epoch(context, done / batches_in_epoch - 1);
  }

  void end_epoch(StepContext& context, std::int64_t epoch) {
    if (epoch % 10 == 0) {
      // The document divides by points / batch size, which is a little less than the number of batches.
      context.output(fmt::format("Epoch {}, Loss", epoch), constant(epoch_loss / points_in_batches));
    }
    epoch_loss = 0;
  }

  void finish(StepContext& context) override {
    context.output("w", w.value());
    context.output("true_w", constant(true_w));
    context.output("b", b.value());
    context.output("true_b", constant(true_b));
  }

  std::int64_t default_steps() const override { return epochs * batches_in_epoch; }

  std::vector<std::uint64_t> save_state() const override {
    auto state = dataset.save_state();
    state.push_back(std::bit_cast<std::uint64_t>(epoch_loss));
    return state;
  }
  void restore_state(const std::vector<std::uint64_t>& state) override {
    dataset.restore_state(std::span(state).first(state.size() - 1));
    epoch_loss = std::bit_cast<double>(state.back());
  }
};

}  // namespace

SampleInfo linear_regression_sample() {
  return {
      .name = "linear-regression",
      .order = 180,
      .promise = "A training loop by hand: forward, gradient, assign_sub; w and b arrive at 2 and 1.",
      .document = "3, custom training loop",
      .variants = {"unoptimized", "optimized"},
      .parameters = {kPoints, kBatch, kRate, kEpochs},
      .file = "linear_regression.cpp",
      .lesson =
          "Each step records seven ops on 32 numbers, so nearly all its time is the cost of running an op at "
          "all, not arithmetic: small ops are where a traced function pays. It is traced twice: the last "
          "batch of an "
          "epoch is smaller. The last batch of an epoch has 8 "
          "points and weighs as much as the others, and the printed loss divides by 31.25 batches where "
          "there "
          "are 32: both are the lesson's.",
      .make = make_sample<LinearRegression>,
  };
}

}  // namespace tapescope
