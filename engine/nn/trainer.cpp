// The training loop of fit, evaluate and predict.
#include "engine/nn/trainer.h"

#include <fmt/format.h>

#include "engine/ops/shape.h"

namespace tapescope {

Trainer::Trainer(Layer& model, const Loss& loss, Optimizer& optimizer, std::vector<Metric*> metrics,
                 LossScale* loss_scale)
    : model_(model),
      loss_(loss),
      optimizer_(optimizer),
      metrics_(std::move(metrics)),
      loss_scale_(loss_scale),
      mean_loss_("loss") {}

Tensor Trainer::train_step(const Tensor& x, const Tensor& labels, Location location) {
  GradientTape tape({}, location);
  Tensor predictions, loss, target;
  {
    auto recording = tape.record(location);
    predictions = model_({x, location}, /*training=*/true);
    loss = loss_({labels, location}, {predictions, location});
    target = loss_scale_ ? loss_scale_->scale_loss({loss, location}) : loss;
  }
  variables_ = model_.trainable_variables();
  const std::vector<Traced> sources(variables_.begin(), variables_.end());
  gradients_ = tape.gradient(target, sources, {}, location);
  if (loss_scale_) {
    loss_scale_->apply_gradients(optimizer_, gradients_, variables_, location);
    gradients_.assign(loss_scale_->unscaled().begin(), loss_scale_->unscaled().end());
  } else {
    optimizer_.apply_gradients(gradients_, variables_, location);
  }
  mean_loss_.update(element_value(loss, 0), static_cast<double>(x.dim(0)), location);
  for (Metric* metric : metrics_) metric->update_state(labels, predictions, location);
  return loss;
}

FitHistory Trainer::fit(const Dataset& data, const FitOptions& options, Location location) {
  const std::int64_t batches = data.cardinality();
  if (batches < 0 || data.components().size() != 2) {
    fail(ErrorKind::value, "fit",
         fmt::format(
             "got a data set of {} components{}, expected examples and labels, gone through once an epoch; "
             "leave repeat() to fit's epochs",
             data.components().size(), batches < 0 ? " that never ends" : ""),
         &location);
  }
  ProgressLine progress(options.epochs, batches);
  std::vector<Callback*> callbacks = options.callbacks;
  if (options.progress) callbacks.push_back(&progress);
  for (Callback* callback : callbacks) callback->train_begin();
  FitHistory history;
  DatasetIterator iterator(data);
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    if (epoch > 0) iterator.start_over();
    reset(location);
    for (Callback* callback : callbacks) callback->epoch_begin(epoch);
    DatasetElement batch;
    for (std::int64_t i = 0; iterator.next(batch, location); ++i) {
      train_step(batch[0], batch[1], location);
      const Logs so_far = results();
      for (Callback* callback : callbacks) callback->batch_end(i, so_far);
    }
    Logs logs = results();
    if (options.validation) {
      for (const auto& [name, value] : evaluate(*options.validation, location)) logs["val_" + name] = value;
    }
    for (const auto& [name, value] : logs) history[name].push_back(value);
    bool stop = false;
    for (Callback* callback : callbacks) {
      callback->epoch_end(epoch, logs);
      stop = stop || callback->wants_stop();
    }
    if (stop) break;
  }
  return history;
}

Logs Trainer::evaluate(const Dataset& data, Location location) {
  reset(location);
  DatasetIterator iterator(data);
  DatasetElement batch;
  while (iterator.next(batch, location)) {
    const Tensor predictions = model_({batch[0], location}, /*training=*/false);
    const Tensor loss = loss_({batch[1], location}, {predictions, location});
    mean_loss_.update(element_value(loss, 0), static_cast<double>(batch[0].dim(0)), location);
    for (Metric* metric : metrics_) metric->update_state(batch[1], predictions, location);
  }
  return results();
}

Tensor Trainer::predict(const Dataset& data, Location location) {
  if (data.cardinality() < 1) {
    fail(ErrorKind::value, "predict",
         "got a data set that is empty or never ends, expected batches to go through once", &location);
  }
  std::vector<Tensor> outputs;
  DatasetIterator iterator(data);
  DatasetElement batch;
  while (iterator.next(batch, location)) outputs.push_back(model_({batch[0], location}, /*training=*/false));
  return concat(outputs, 0, location);
}

void Trainer::reset(const Location& location) {
  mean_loss_.reset(location);
  for (Metric* metric : metrics_) metric->reset(location);
}

Logs Trainer::results() const {
  Logs logs{{"loss", mean_loss_.result()}};
  for (const Metric* metric : metrics_) logs[metric->name()] = metric->result();
  return logs;
}

}  // namespace tapescope
