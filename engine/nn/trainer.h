// A model with its loss, optimizer and metrics: fit, evaluate, predict, as Keras's compile() and fit() do it.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/data/dataset.h"
#include "engine/nn/callbacks.h"
#include "engine/nn/layer.h"
#include "engine/nn/loss_scale.h"
#include "engine/nn/losses.h"
#include "engine/nn/metrics.h"
#include "engine/tape/tape.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct FitOptions {
  std::int64_t epochs = 1;
  const Dataset* validation = nullptr;  // evaluated after each epoch
  std::vector<Callback*> callbacks{};
  bool progress = true;  // a line on the terminal
};

// The results of every epoch, by name.
using FitHistory = std::map<std::string, std::vector<double>, std::less<>>;

// Refers to the model, loss, optimizer and metrics given: they must outlive it.
class Trainer {
 public:
  // With a loss scale, the loss is scaled before the gradient and steps that overflow are skipped.
  Trainer(Layer& model, const Loss& loss, Optimizer& optimizer, std::vector<Metric*> metrics = {},
          LossScale* loss_scale = nullptr);

  // One step: forward, loss, gradients of the trainable variables, update. Returns the loss, not scaled.
  Tensor train_step(const Tensor& x, const Tensor& labels, Location location = Location::current());
  // What train_step() computed last, in the order of the model's trainable variables.
  std::span<const Tensor> gradients() const { return gradients_; }

  // Elements are x and labels, in batches. Stops early when a callback wants it.
  // Throws ValueError for a data set that never ends or has other than two components.
  FitHistory fit(const Dataset& data, const FitOptions& options = {},
                 Location location = Location::current());
  // Loss and metrics over the data, without training.
  Logs evaluate(const Dataset& data, Location location = Location::current());
  // The model's outputs of all batches, one after the other; labels may be there and are not used.
  Tensor predict(const Dataset& data, Location location = Location::current());

 private:
  void reset(const Location& location);
  Logs results() const;
  Layer& model_;
  const Loss& loss_;
  Optimizer& optimizer_;
  std::vector<Metric*> metrics_;
  LossScale* loss_scale_;
  Mean mean_loss_;
  std::vector<Variable> variables_;
  std::vector<Tensor> gradients_;
};

}  // namespace tapescope
