// Losses: classes with a call operator that takes labels first, as Keras's do. Each returns the mean over the batch
// (the sum of the losses of the examples divided by their number).
#pragma once
#include "engine/ops/apply.h"

namespace tapescope {

// Labels are probabilities of the shape of the predictions, [.., classes]; label_smoothing a makes them
// t (1 - a) + a / classes. With from_logits the predictions are logits, else probabilities: they are scaled to a sum
// of 1 and clipped to [1e-7, 1 - 1e-7].
class CategoricalCrossentropy {
 public:
  explicit CategoricalCrossentropy(bool from_logits = false, double label_smoothing = 0)
      : from_logits_(from_logits), label_smoothing_(label_smoothing) {}
  Tensor operator()(const Arg& labels, const Arg& predictions) const;

 private:
  bool from_logits_;
  double label_smoothing_;
};

// Mean of (predictions - labels)^2 over the last axis, then over the rest.
class MeanSquaredError {
 public:
  Tensor operator()(const Arg& labels, const Arg& predictions) const;
};

}  // namespace tapescope
