// Metrics, loss scaling, gradient accumulation, and fit, evaluate, predict.
#include "engine/nn/trainer.h"

#include <cmath>
#include <limits>

#include "engine/graph/function.h"
#include "engine/nn/layers.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Points on a line, y = 2 x + 1.
Dataset line(std::int64_t points, std::int64_t batch) {
  const Tensor x = stateless_random_normal({points, 1}, {1, 2});
  return Dataset::from_tensor_slices({x, 2 * x + 1}).shuffle(points, 3).batch(batch);
}

}  // namespace

TEST_CASE("metrics: accuracies count hits over all batches, a mean weighs") {
  CategoricalAccuracy accuracy;
  accuracy.update_state(constant({{0.0, 1.0}, {1.0, 0.0}}), constant({{0.2, 0.8}, {0.4, 0.6}}));
  accuracy.update_state(constant({{0.0, 1.0}}), constant({{0.2, 0.8}}));
  CHECK(accuracy.result() == Approx(2.0 / 3));
  accuracy.reset();
  CHECK(accuracy.result() == 0);
  SparseCategoricalAccuracy sparse;
  sparse.update_state(constant({1, 0, 1}, DType::i32), constant({{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}}));
  CHECK(sparse.result() == Approx(2.0 / 3));
  BinaryAccuracy binary(0.7);
  binary.update_state(constant({{1.0}, {1.0}, {0.0}, {0.0}}), constant({{0.8}, {0.6}, {0.6}, {0.8}}));
  CHECK(binary.result() == 0.5);
  MeanAbsoluteErrorMetric error;
  error.update_state(constant({{1.0, 2.0}}), constant({{2.0, 4.0}}));
  CHECK(error.result() == 1.5);
  Mean mean;
  mean.update(1, 3);
  mean.update(5, 1);
  CHECK(mean.result() == 2);
  mean.reset_state();
  mean.update_state(constant({1.0, 2.0}));
  mean.update_state(6);
  CHECK(mean.result() == 3);
}

TEST_CASE("metrics: no tape records them") {
  Variable w(constant({{1.0, 0.0}}), {.name = "w"});
  CategoricalAccuracy accuracy;
  GradientTape tape;
  auto recording = tape.record();
  const Tensor y = 2 * w;
  const auto before = tape.counts().recorded;
  accuracy.update_state(constant({{1.0, 0.0}}), y);
  CHECK(tape.counts().recorded == before);
}

TEST_CASE("loss scale: finite steps are applied unscaled, others skipped, and the scale follows") {
  Variable w(constant({1.0}), {.name = "w"});
  SGD sgd(0.5);
  LossScale scale({.initial_scale = 8, .dynamic_growth_steps = 2});
  CHECK(element(scale.scale_loss(constant(3.0)), 0) == 24);
  const std::vector<Variable> variables{w};
  const auto apply = [&](double gradient) {
    return scale.apply_gradients(sgd, std::vector{constant({gradient})}, variables);
  };
  CHECK(apply(8));
  CHECK(element(w.peek(), 0) == 0.5);
  CHECK(scale.scale() == 8);
  CHECK(apply(0));
  CHECK(scale.scale() == 16);  // two finite steps in a row
  CHECK(apply(0));
  CHECK_FALSE(apply(std::numeric_limits<double>::infinity()));
  CHECK(scale.scale() == 8);
  CHECK(scale.skipped_steps() == 1);
  CHECK(element(w.peek(), 0) == 0.5);
  CHECK(element(sgd.iterations().peek(), 0) == 3);
  CHECK_FALSE(apply(std::nan("")));
  CHECK(apply(0));
  CHECK(scale.scale() == 4);  // the run of finite steps began again
  CHECK(apply(0));
  CHECK(scale.scale() == 8);
  CHECK_THROWS_AS(LossScale({.initial_scale = 0}), Error);
}

TEST_CASE("loss scale: a function reads the scale at each call, and applying belongs outside of it") {
  const Variable w(constant({1.0}), {.name = "w"});
  SGD sgd(0.5);
  LossScale scale({.initial_scale = 8});
  const std::vector<Variable> variables{w};
  const Function scaled("scaled", [&] { return scale.scale_loss(reduce_sum(w * 3.0)); });
  CHECK(element(scaled(), 0) == 24);
  CHECK_FALSE(scale.apply_gradients(sgd, std::vector{constant({std::nan("")})}, variables));
  CHECK(element(scaled(), 0) == 12);
  CHECK(scaled.tracing_count() == 1);
  const Function step("step", [&](const Tensor& gradient) {
    (void)scale.apply_gradients(sgd, std::vector{gradient}, variables);
    return gradient;
  });
  CHECK_THROWS_WITH(step(constant({1.0})), contains_text("outside of it"));
}

TEST_CASE("optimizers: gathered gradients make one update of their mean, which counts once") {
  for (const bool clip : {false, true}) {
    Variable at_once(constant({1.0, 2.0}), {.name = "a"}), gathered(constant({1.0, 2.0}), {.name = "b"});
    AdamOptions options;
    if (clip) options.clipnorm = 0.5;
    Adam plain(0.1, options);
    options.gradient_accumulation_steps = 2;
    Adam slow(0.1, options);
    const std::vector<std::vector<double>> gradients{{1, 2}, {3, -4}, {0.5, 1}, {1, 1}};
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      slow.apply_gradients(std::vector{constant(gradients[i], Shape{2})}, {gathered});
      if (i % 2 == 0) continue;
      const std::vector<double> mean{(gradients[i][0] + gradients[i - 1][0]) / 2,
                                     (gradients[i][1] + gradients[i - 1][1]) / 2};
      plain.apply_gradients(std::vector{constant(mean, Shape{2})}, {at_once});
      CHECK(elements(gathered.peek()) == elements(at_once.peek()));
    }
    CHECK(element(slow.iterations().peek(), 0) == 2);
  }
  AdamOptions none;
  none.gradient_accumulation_steps = 0;
  CHECK_THROWS_AS(Adam(0.1, none), Error);
}

TEST_CASE("trainer: fit finds the line, reports each epoch, and evaluate and predict agree with it") {
  Sequential model(Dense(1));
  const MeanSquaredError loss;
  SGD sgd(0.1);
  MeanAbsoluteErrorMetric error;
  Trainer trainer(model, loss, sgd, {&error});
  const Dataset data = line(100, 16), test = line(20, 8);
  const FitHistory history = trainer.fit(data, {.epochs = 12, .validation = &test});
  CHECK(history.size() == 4);
  CHECK(history.at("loss").size() == 12);
  CHECK(history.at("loss").back() < 1e-3 * history.at("loss").front());
  CHECK(history.at("val_mean_absolute_error").back() < 0.02);
  CHECK(element(model.variables()[0].peek(), 0) == Approx(2).margin(0.02));
  const Logs logs = trainer.evaluate(test);
  CHECK(logs.at("loss") == history.at("val_loss").back());
  const Tensor predictions = trainer.predict(test);
  CHECK(predictions.shape() == Shape{20, 1});
  CHECK(element(sgd.iterations().peek(), 0) == 12 * 7);
  CHECK_THROWS_AS(trainer.fit(data.repeat()), Error);
  CHECK_THROWS_AS(trainer.predict(data.repeat()), Error);
}

TEST_CASE("trainer: callbacks stop a run, set the rate, and get the results so far") {
  struct Counting : Callback {
    int batches = 0, epochs = 0;
    void batch_end(std::int64_t, const Logs& logs) override {
      ++batches;
      CHECK(logs.count("loss") == 1);
    }
    void epoch_end(std::int64_t, const Logs&) override { ++epochs; }
  } counting;
  Sequential model(Dense(1));
  const MeanSquaredError loss;
  SGD sgd(0.1);
  Trainer trainer(model, loss, sgd);
  ExponentialSchedule to_nothing(sgd, 0.1, 0);  // learns in the first epoch only
  EarlyStopping stopping("loss", 2, 1e-9);
  trainer.fit(line(32, 8), {.epochs = 20, .callbacks = {&counting, &to_nothing, &stopping}});
  CHECK(counting.epochs < 8);
  CHECK(counting.batches == 4 * counting.epochs);
  CHECK(element(sgd.learning_rate().peek(), 0) == 0);
  EarlyStopping missing("accuracy");
  CHECK_THROWS_AS(trainer.fit(line(32, 8), {.callbacks = {&missing}}), Error);
  ProgressLine progress(5, 938);
  progress.epoch_begin(1);
  CHECK(progress.text(17, {{"loss", 0.25}, {"accuracy", 0.5}}) ==
        "Epoch 2/5  17/938  accuracy: 0.5000  loss: 0.2500");
}
